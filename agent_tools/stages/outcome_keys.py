"""What the keys of returned data mean, by plain name: the tables of `outcome`.

A plain name is a key in lower case without separators: `next_page_token` and `NextPageToken` are both
`nextpagetoken`.
"""

from __future__ import annotations


def words(text: str) -> tuple[str, ...]:
    """Split a table that is written as one text."""
    return tuple(text.split())


def word_set(text: str) -> frozenset[str]:
    """Split a table whose order means nothing."""
    return frozenset(text.split())


# texts that stand for "nothing" where a failure or a cursor would stand
NOTHING_WORDS = frozenset(
    (
        "",
        "no error",
        "no errors",
        "0 errors",
        *words("none none. null nil undefined n/a na no false 0 - -- ok okay success noerror no_error s_ok"),
        *words("无 成功 操作成功 请求成功 查询成功"),
    )
)

# --- what keys mean, by plain name

# where the rows are, the likeliest first: a key further left wins where two hold a list
COLLECTION_KEYS = {
    name: rank
    for rank, name in enumerate(
        words(
            "items results records rows hits features matches matchinglines documents docs edges nodes "
            "entries bindings entry elements resources objects searchresults data value values list "
            "result content contents response output body payload embedded "
            "结果 数据 列表"
        )
    )
}
# collections that may also be one field of a thing: scalars beside them speak of the thing
FIELD_LIKE = word_set("value values list nodes content contents result output response body payload")
# collections that only ever answer a search, also under a name or an id
SEARCH_ONLY = word_set("hits features matches matchinglines bindings searchresults")
# keys that hold a reply inside a reply
WRAPPER_KEYS = frozenset(COLLECTION_KEYS) | {"reply", "answer", "return", "returnvalue"}

TOTAL_KEYS = words(
    "total totalcount totalresults totalhits totalitems totalrecords totalrows totalelements "
    "totalmatches totalsize totalentries totalnumber numfound nummatches numresults numhits numrecords "
    "numberofresults numbermatched nbhits estimatedtotalhits matchcount hitcount recordcount "
    "resultcount odatacount 总数 count"
)
PAGING_KEYS = words(
    "pagination paging pageinfo pager page pages cursor cursors resultinfo responsemetadata meta "
    "metadata searchmetadata listmetadata context pageable"
)
POSITION_KEYS = word_set(
    "page pagenumber pageno currentpage pageindex perpage pagesize hitsperpage itemsperpage "
    "resultsperpage limit offset skip start startat startindex maxresults size totalpages pagecount "
    "nbpages numpages lastpage first last number numberofelements numberreturned returned returnedcount "
    "previous prev hasprevious haspreviouspage hasprev previouspage prevpage prevcursor previouscursor "
    "startcursor endcursor hasmore hasnext hasnextpage next nextpage nextcursor nextpagetoken nexttoken "
    "nextlink nexturl previouslink prevurl istruncated truncated cursor scrollid scannedcount keycount "
    "nextsynctoken deltalink odatadeltalink maxitems maxkeys pagelen marker done"
)
# keys that say something of the reply and nothing of what was asked for
NEUTRAL_KEYS = (
    POSITION_KEYS
    | frozenset(TOTAL_KEYS)
    | frozenset(PAGING_KEYS)
    | word_set(
        "status ok success issuccess found empty message msg note notes hint "
        "warning warnings error errors errormessage errorcode errcode errmsg errno code statuscode cod "
        "httpstatus query q search searchterm searchquery searchterms term keyword keywords pattern "
        "filter filters appliedfilters criteria params parameters request requestparams sort sortby "
        "orderby took tookms time timems elapsed elapsedms elapsedtime durationms executiontime "
        "executiontimems processingtimems processingtime responsetime querytime qtime timestamp ts "
        "generatedat requestid xrequestid traceid correlationid logid jsonrpc apiversion apiname kind "
        "version type object url uri self links link responseheader shards timedout maxscore facets "
        "facetcounts suggestions suggest didyoumean columns fields schema headers vars head crs bbox "
        "cached etag selflink resourcetype resulttype responsestatus batchcomplete searchinfo "
        "exhaustivenbhits hasresults incompleteresults iserror structuredcontent rowcount affectedrows "
        "odatacontext totalprice subtotal includedfields usage billing credits ratelimit region bounds "
        "retcode retmsg jsonapi viewport attributions htmlattributions searchparameters searchinformation"
    )
)
# keys of a thing that exists: a record, not the reply to a search
IDENTITY_KEYS = word_set(
    "id uuid guid name title slug sku username login fullname displayname email createdat createdby "
    "created updatedat updated modified firstname lastname"
)
# keys of a log line: an `error` beside a level and a time is a field of the line
LEVEL_KEYS = word_set("level severity loglevel lvl logger")
TIME_KEYS = word_set("timestamp time ts datetime date asctime eventtime")

# keys under which a failure is told, the plainest telling first
TEXT_KEYS = words(
    "message msg errormessage errormsg errmsg errcodedes submsg errordescription errordetail retmsg "
    "returnmsg statusmessage statustext errorsummary faultstring detail details description reason info "
    "diagnostics text title error errors"
)
CODE_KEYS = words(
    "code errorcode errcode ecode codename errcodename status statuscode cod httpstatus type errortype"
)
FALSE_FLAGS = words("success ok succeeded successful issuccess issuccessful issucceeded")
