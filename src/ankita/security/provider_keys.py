"""Keys of well-known services, recognised by the prefix that the service puts in front.

One alternative a family. Each starts with literal characters and ends in a bounded or
possessive run, so that the whole pattern is linear.
"""

from __future__ import annotations

import re

_W = r"[A-Za-z0-9]"
_D = r"[A-Za-z0-9_-]"

_FAMILIES = (
    # models
    rf"sk-(?:proj-|ant-|or-|svcacct-|admin-|lf-)?{_D}{{20,}}+",
    rf"(?:gsk_|hf_|r8_|xai-|pplx-|nvapi-|tvly-(?:dev-|prod-)?|akp_|co_){_D}{{20,}}+",
    rf"AIza{_D}{{35}}",
    rf"(?:GOCSPX-|ya29\.){_D}{{20,}}+",
    # code hosts and registries
    rf"gl(?:pat|ptt|dt|rt|cbt|ft|imt|agent|oas|soat|ffct)-{_D}{{20,}}+",
    rf"(?:npm_|dckr_pat_|dckr_oat_|rubygems_|sgp_|sbp_|cio|crates){_W}{{24,}}+",
    rf"pypi-AgEI{_D}{{40,}}+",
    rf"(?:ATATT3|ATBB|ATCTT3){_D}{{20,}}+(?:=[0-9A-F]{{8}})?",
    rf"oy2[a-z0-9]{{43}}(?!{_W})",
    # clouds and platforms
    rf"(?:dop|doo|dor)_v1_{_W}{{40,}}+",
    rf"(?:LTAI|AKID){_W}{{16,}}+",
    rf"(?:hvs|hvb|hvr)\.{_D}{{20,}}+",
    r"(?:dapi|dose|doseb)[a-f0-9]{32}(?:-[0-9])?",
    r"(?:pscale_(?:tkn|pw|oauth)_|pul-|tskey-(?:auth-|api-|client-)?|dp\.(?:pt|st|ct|sa|scim)\.)"
    r"[A-Za-z0-9_.-]{16,}+",
    r"(?:FlyV1 )?fm[12][ar]?_[A-Za-z0-9+/=]{40,}+",
    rf"{_W}{{14}}\.atlasv1\.{_D}{{40,}}+",
    rf"(?:mdb_sa_sk_|napi_|sntrys_|sntryu_|ops_eyJ|HRKU-|rnd_|CFPAT-|v1\.0-){_D}{{24,}}+=*",
    rf"(?:glc_|glsa_|eyJrIjoi){_D}{{20,}}+=*",
    rf"(?:NRAK-|NRJS-|NRII-|NRBR-|NRRA-){_D}{{19,}}+",
    # messages, mail, work
    r"xoxe[.-][A-Za-z0-9.-]{20,}+",
    rf"xapp-{_D}{{20,}}+",
    rf"SG\.{_D}{{16,32}}\.{_D}{{30,64}}",
    r"(?:key-|pubkey-)[a-f0-9]{32}",
    r"[a-f0-9]{32}-us[0-9]{1,2}(?![0-9])",
    rf"xkeysib-{_D}{{40,}}+",
    rf"(?:secret_|ntn_){_W}{{40,}}+",
    rf"(?:lin_api_|lin_oauth_|figd_|figu_|figoh_|pat-(?:na|eu)[0-9]-|patr?[A-Za-z0-9]{{14}}\.){_D}{{24,}}+",
    rf"(?:PMAK-|phc_|phx_|sk_dev_|dd[apw]_|cpk_|duffel_(?:test|live)_|frwl_){_D}{{20,}}+",
    rf"(?:SK|AC)[0-9a-f]{{32}}(?!{_W})",
    # money and shops
    r"(?:sk|rk|pk)_(?:test|live|prod)_[A-Za-z0-9]{16,}+",
    r"whsec_[A-Za-z0-9+/=]{24,}+",
    rf"(?:sq0[a-z]{{3}}-|EAAA|EAACEdEose0cBA|EAA[A-Za-z]){_D}{{22,}}+",
    r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{24,}+",
    r"access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}",
    rf"(?:EZAK|EZTK|FLWSECK(?:_TEST)?-|FLWPUBK(?:_TEST)?-|shippo_(?:live|test)_|live_|test_){_W}{{24,}}+",
    # the rest
    rf"AKCp[0-9]{_W}{{10,}}+",
    r"AGE-SECRET-KEY-1[A-Z0-9]{50,}+",
    r"A3-[A-Z0-9]{6}-[A-Z0-9]{6}(?:-?[A-Z0-9]{5,6}){3,5}",
    rf"(?:API|api)-[A-Z0-9]{{25,32}}(?!{_W})",
    r"(?:PRVT_|PRIV_|FwoG|IQoJb3JpZ2lu)[A-Za-z0-9+/=_-]{24,}+",
    rf"[MNO]{_D}{{23,25}}\.{_D}{{6}}\.{_D}{{27,40}}",
    rf"sl\.{_D}{{60,}}+",
    rf"(?:bkua_|CCIPAT_|CLOJARS_|pdt_|pub_|rdme_|sgo_|ico-|ABSK|fo1_|sm_|sct_|fio-u-){_D}{{30,}}+",
)

PROVIDER_KEY = re.compile(rf"(?<![A-Za-z0-9])(?:{'|'.join(_FAMILIES)})")
