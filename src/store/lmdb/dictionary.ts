/**
 * Texts that rows of the log and of the outputs are likely to share, for LZ4 to point at: a row alone is too short to
 * repeat itself. What is not in here is stored as well, only longer. Rows cannot be read without the very dictionary
 * they were written with, so a change of it is a change of `LAYOUT`.
 */

const FACTS = [
  '[[179,{"kind":"settings","accounts":[{"id":"a","rule":{"staleAfterMs":{"posts":10000,"oracle":900000,"ui":300000,"prices":60000}}]]',
  '{"kind":"tracking","account":"a","trackingId":"","slug":null,"title":"","startAt":179,"endAt":179}',
  '{"kind":"event","eventId":,"slug":"","title":"","image":"https://","subject":{"type":"posts","account":"a"},"startAt":179,"endAt":179,"isClosed":false,"buckets":[{"title":"0-19","lo":0,"hi":19,"conditionId":"0x","marketSlug":"","yesToken":"","noToken":"","won":null},{"title":"","lo":null,"hi":null,"won":true},{"won":false}]}',
  '{"kind":"coverage","account":"b","fromAt":179}],[179,{"kind":"post_gone","account":"a","id":"2"}],[179',
  ',{"kind":"post","account":"a","via":"backfill","id":"2","createdAt":179,"url":"http://127.0.0.1:","text":"","isReply":false,"isReplyToSelf":false,"isQuote":false,"isRepost":false,"isFromCommunity":false}],[179',
  ',{"kind":"post","account":"b","via":"archive","id":"2","createdAt":179,"url":"https://","text":"","isReply":true,"isReplyToSelf":true,"isQuote":true,"isRepost":true,"isFromCommunity":false}],[179',
  '{"kind":"ui","eventId":,"count":null}],[179,{"kind":"oracle","account":"a","trackingId":"","total":0,"syncedAt":null}]]',
  '[[179,{"kind":"prices","eventId":,"quotes":[{"token":"","bid":0.0,"ask":0.0,"last":null,"ui":0.0},{"token":"","bid":null,"ask":null,"last":0.001,"ui":null}]}]]',
  '{"kind":"fit","account":"a","askedSeq":,"params":{"version":"pool-1+","fittedAt":179,"rows":,"mean":[-0.],"dispersion":[-0.]}}',
  '{"kind":"forecast","account":"a","eventId":,"askedSeq":,"origin":"history","horizonHours":24,"seed":,"inputs":{"version":"pool-1+","now":179,"endAt":179,"count":,"mean":,"dispersion":0.,"shares":[0.1,0.1]},"forecast":{"p5":,"p50":,"p95":,"quantiles":[],"bucketProbs":[0,0,0,0,0,0,0,0.0]},"pace":{"p5":,"p50":,"p95":,"quantiles":[],"bucketProbs":[0,0,0,0]},"sleepProbability":0.,"moved":[{"cause":"clock","p50":-1},{"cause":"new_post","p50":1}]}',
  '[[179,{"kind":"spot","ticks":[{"symbol":"BTC","price":,"at":179},{"symbol":"ETH","price":,"at":179}]}],[179',
  ',{"kind":"tick","ages":{"archive:a":0,"archive:b":0,"crypto":0,"deletions:a":0,"deletions:b":0,"events":0,"oracle:a":0,"oracle:b":0,"posts:a":0,"posts:b":0,"prices":0,"trackings:a":0,"trackings:b":0,"ui:a":0,"ui:b":0}}]]',
];

const OUTPUTS = [
  '{"stream":"failures","key":"","seq":,"at":179,"cause":"failure","record":{"actor":"","message":""}}',
  '{"stream":"events","key":"","seq":,"at":179,"cause":"event_opened","record":{"eventId":,"phase":"active","trackingId":"","isPartition":true}}',
  '{"stream":"lag","key":"a","seq":,"at":179,"cause":"oracle","record":{"account":"a","seen":{"n":0,"p50":,"p90":,"p99":},"oracle":{"n":0,"p50":null,"p90":null,"p99":null},"ui":{"n":0}}}',
  '{"stream":"velocity","key":"a","seq":,"at":179,"cause":"clock","record":{"account":"a","counted1h":0,"all1h":0}}',
  '{"stream":"counters","key":"","seq":,"at":179,"cause":"oracle","record":{"eventId":,"account":"a","oracle":0,"real":0,"ui":0,"settlementDelta":0,"displayDelta":0,"internalDelta":0,"deleted":0,"stale":[]}}',
  '{"stream":"spot","key":"ETH","seq":,"at":179,"cause":"spot","record":{"symbol":"BTC","price":,"at":179}}',
  '{"stream":"prices","key":"","seq":,"at":179,"cause":"price","record":{"eventId":,"token":"","bid":0.,"ask":0.,"price":0.,"priceKind":"mid","at":179}}',
  '{"stream":"scores","key":"@24","seq":,"at":179,"cause":"model","record":{"forecastId":"@24","eventId":,"account":"a","origin":"history","horizonHours":24,"modelVersion":"pool-1+","madeAt":179,"endAt":179,"final":0,"p50":0,"errorPercent":0.,"model":{"logScore":0.,"brier":0.,"crps":0.,"isCovered":true,"pit":0.},"pace":{"logScore":0.,"brier":0.,"crps":0.,"isCovered":false,"pit":0.},"market":null}}',
  '{"stream":"posts","key":"2","seq":,"at":179,"cause":"post_edited","record":{"account":"b","id":"2","text":"","createdAt":179,"isReply":true,"isQuote":true,"isRepost":true,"isCounted":false,"url":"https://","seenAt":179,"deletedAt":null}}',
  '{"stream":"posts","key":"2","seq":,"at":179,"cause":"new_post","record":{"account":"a","id":"2","text":"","createdAt":179,"isReply":false,"isQuote":false,"isRepost":false,"isCounted":true,"url":"http://127.0.0.1:","seenAt":179,"deletedAt":null}}',
  '{"stream":"predictions","key":"","seq":,"at":179,"cause":"clock","record":{"forecastId":"-","eventId":,"account":"a","origin":"live","horizonHours":null,"modelVersion":"pool-1+","seed":,"askedSeq":,"madeAt":179,"endAt":179,"count":,"p5":,"p50":,"p95":,"quantiles":[],"paceP50":,"paceQuantiles":[],"buckets":[{"lo":0,"hi":19,"prob":0,"paceProb":0,"price":0.0005,"priceKind":"ui"},{"lo":20,"hi":39,"prob":0.,"paceProb":0.,"price":0.001,"priceKind":"last"},{"lo":,"hi":null,"prob":0.,"paceProb":0.,"price":null,"priceKind":null},{"priceKind":"mid"}],"sleepProbability":0.,"flipRisk":null,"moved":[{"cause":"clock","p50":-1}],"hash":""}}',
];

export const DICTIONARY = Buffer.from([...FACTS, ...OUTPUTS].join(''));
