"""The words that tell what a tool does: data only, grouped by why they matter.

`DESTRUCTIVE` is searched as a substring. All other lists hold whole words. A word
in `NOUNS_TOO` is a thing as often as an act ("post", "order"): after a leading
reading verb it is read as the thing. The lists were widened from the names which
real catalogues publish and the eight first words miss.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


DESTRUCTIVE = ("send", "delete", "publish", "pay", "transfer", "remove", "destroy", "revoke")
"""Anywhere in a name, with no regard to word boundaries."""

OUTWARD = _words(
    "post mail email message sms reply respond forward share tweet call dial notify broadcast "
    "submit invite announce dispatch push propose"
)
"""Leaves the machine and reaches somebody."""

MONEY = _words(
    "buy purchase order checkout refund withdraw deposit charge bid trade sell donate invest "
    "subscribe reserve book rent redeem tip bill invoice wire remit lend borrow swap stake"
)
"""Spends, moves or commits money."""

ACCESS = _words(
    "grant lock unlock block unblock ban unban kick suspend disable deactivate approve "
    "authorize authorise accept decline reject promote demote impersonate allow permit elevate "
    "unprotect bypass expose"
)
"""Changes who may do what."""

LOSING = _words(
    "cancel purge wipe erase drop truncate clear reset overwrite replace discard trash empty "
    "prune flush kill terminate uninstall detach unlink unpublish archive expire restore "
    "rollback revert rotate format shred undo unassign unsubscribe unfollow unstar leave merge "
    "move rename abort disconnect evict deprovision decommission unregister withdraw rebase "
    "squash migrate reschedule unmount eject quarantine redact expunge rm rmdir del unset "
    "invalidate drain downgrade shrink"
)
"""Ends, hides or moves something that was there."""

RUNNING = _words(
    "execute exec run eval evaluate invoke trigger deploy rerun rerequest restart reboot "
    "shutdown sudo install apply inject"
)
"""Runs something whose effect the name does not tell."""

OVERWRITING = _words(
    "update set write edit modify patch put change alter upsert save rewrite adjust override "
    "manage sync configure customize customise reconfigure amend"
)
"""Replaces what was there. The companion's own tools do this only inside its granted folders."""

ADDING = _words(
    "add create insert append upload import attach assign enable activate start stop close new "
    "copy duplicate clone fork star follow like comment react watch tag label mark pin unpin "
    "flag register schedule request resolve unresolve dismiss toggle build enroll enrol join "
    "log track record note vote rate review release test hold encrypt decrypt sign give turn "
    "control play pause resume store cache link connect pair ingest index draft compose "
    "initialize initialise setup provision seed commit stage fill click press type drag hover "
    "navigate select resize scroll tap swipe emulate mute unmute snooze reprioritize prioritize "
    "reorder mkdir touch make fulfill complete reopen convert fix learn remember forget go "
    "acknowledge ack launch spawn bulk batch mutate force reclaim handle unroute interact"
)
"""Changes something, but adds rather than replaces, or can be taken back."""

ALWAYS_ASK = OUTWARD | MONEY | ACCESS | LOSING | RUNNING | OVERWRITING
CHANGING = ALWAYS_ASK | ADDING

NOUNS_TOO = _words(
    "post mail email message sms forward share tweet call notify push invite dispatch purchase "
    "order checkout refund deposit charge bid trade book rent tip bill invoice wire swap stake "
    "grant lock block ban kick permit drop reset trash empty archive restore rollback format "
    "leave merge move squash exec run trigger deploy inject update set write edit patch put "
    "change save override sync import start stop close new copy clone fork star follow like "
    "comment watch tag label mark pin flag schedule request build join log track record note "
    "vote rate review release test hold sign turn control play pause resume store cache link "
    "pair index draft setup seed commit stage fill click press type drag hover select scroll "
    "tap touch make fix go launch bulk batch force clear eval complete wipe announce reserve "
    "attach bypass upload duplicate handle"
)
"""Words of `CHANGING` that also name things."""

READING = _words(
    "get list search find read fetch retrieve check view show describe count lookup look query "
    "browse inspect compare preview verify validate analyze analyse summarize summarise explain "
    "stat peek head exists has is whoami ping tail grep glob ls cat diff scan"
)
"""Acts that only look."""

NEUTRAL = _words("download export generate render wait open parse extract take capture convert")
"""Acts that are no plain reads; what follows them is a thing all the same ("download_archive")."""

READING_SECOND = _words("get fetch retrieve describe find lookup search query list")
"""Of those, the ones trusted after one leading word that is not a verb ("browser_get_config")."""

READING_LAST = _words("get fetch find lookup search read")
"""Of those, the ones trusted at the end of a name with no changing word ("issue_read")."""

CONNECTORS = _words("and or then plus also")
"""After these a verb is a verb again ("list_and_post")."""

COMPOUND_NOUNS = (
    ("pull", "request"),
    ("merge", "request"),
    ("check", "run"),
    ("check", "suite"),
    ("work", "item"),
)
"""Pairs that are one thing and no act."""

NOUN_ENDINGS = _words(
    "ment ments ation ations lation able ing ings ance ence ness ption ptions ability ers ors "
    "ion ions ees"
)
"""What may follow a verb inside one word and make it a thing ("deployment")."""

ACTION_KEYS = _words(
    "action actions method operation operations op ops verb command cmd mode mutation intent "
    "subcommand httpmethod requestmethod actiontype operationtype"
)
"""Arguments, spelled without separators, whose value chooses what the tool does."""

KEY_DESCRIBES = _words(
    "id ids at by date time period type status since before after until count name token key "
    "mask url uri limit page cursor filter filters field fields from order format"
)
"""A key that ends in one of these describes something ("transfer_id") and asks for nothing."""

NO_VALUES = _words("none no false off never 0")
"""Text values that switch an argument off."""
