import { defineScript, type Script } from "./scripts.js"

/** Keeps a lease unless another holder has it. KEYS: lease. ARGV: holder, end in ms. Returns 1 to the holder. */
export const takeLease: Script = defineScript(`
local holder = redis.call("GET", KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call("SET", KEYS[1], ARGV[1])
redis.call("PEXPIREAT", KEYS[1], ARGV[2])
return 1
`)

/** Ends a lease if the holder has it. KEYS: lease. ARGV: holder. */
export const dropLease: Script = defineScript(`
if redis.call("GET", KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call("DEL", KEYS[1])
`)

/** Reads a value. KEYS: value. Returns false if there is none. */
export const readValue: Script = defineScript(`return redis.call("GET", KEYS[1])`)

/**
 * Replaces a value if it is the expected one. KEYS: value. ARGV: expected value or "" for none, new value or "" for none, end
 * in ms. Returns 1 if this call replaced it, even if its response was lost: no two calls write the same value.
 */
export const replaceValue: Script = defineScript(`
local held = redis.call("GET", KEYS[1]) or ""
if held ~= ARGV[1] then return held == ARGV[2] and held ~= "" and 1 or 0 end
if ARGV[2] == "" then
  redis.call("DEL", KEYS[1])
else
  redis.call("SET", KEYS[1], ARGV[2])
  redis.call("PEXPIREAT", KEYS[1], ARGV[3])
end
return 1
`)

/**
 * Updates a record if one of its fields has a value. KEYS: record. ARGV: name of the field, expected value as stored or ""
 * for none, id of the call, fields. Returns 1 if this call updated it, even if its response was lost.
 */
export const updateRecordIf: Script = defineScript(`
local held = redis.call("HGET", KEYS[1], ARGV[1])
if not held or held == "null" then held = redis.call("EXISTS", KEYS[1]) == 1 and "" end
if held ~= ARGV[2] then
  return redis.call("HGET", KEYS[1], "by") == ARGV[3] and 1 or 0
end
redis.call("HSET", KEYS[1], "by", ARGV[3], unpack(ARGV, 4))
return 1
`)

/**
 * Deletes a record if one of its fields has a value, and keeps the id of the call for a minute. KEYS: record. ARGV: field, value
 * as stored, id of the call. Returns 1 if this call deleted it, even if its response was lost.
 */
export const takeRecordIf: Script = defineScript(`
if redis.call("HGET", KEYS[1], ARGV[1]) ~= ARGV[2] then
  return redis.call("HGET", KEYS[1], "taken") == ARGV[3] and 1 or 0
end
redis.call("DEL", KEYS[1])
redis.call("HSET", KEYS[1], "taken", ARGV[3])
redis.call("PEXPIRE", KEYS[1], 60000)
return 1
`)

/**
 * Stores a password if the stored hash is the expected one. KEYS: user, password. ARGV: expected hash as stored or "" for
 * none, id of the call, fields. Returns 1 if this call stored it, -1 without such a user.
 */
export const setPassword: Script = defineScript(`
if redis.call("EXISTS", KEYS[1]) == 0 or redis.call("HEXISTS", KEYS[1], "fresh") == 1 then return -1 end
local held = redis.call("HMGET", KEYS[2], ".hash", "by")
if held[2] == ARGV[2] then return 1 end
if (held[1] or "") ~= ARGV[1] then return 0 end
redis.call("DEL", KEYS[2])
redis.call("HSET", KEYS[2], "by", ARGV[2], unpack(ARGV, 3))
return 1
`)

// The details of a user's sessions, all in the user's slot: a hash of records by digest of their id, and for each id the
// instants in ms of the last use and of the end, in two sorted sets. A record begins with the id of the call that created
// it (22 characters) and three digests (43 characters each, or as many dashes): of the account, of the provider's session,
// of the session token. KEYS always end with: details, last uses, ends.

/** Functions of the scripts below. `d` is the position of the details in KEYS. */
const detailFunctions = `
local function remove(d, id)
  redis.call("HDEL", KEYS[d], id)
  redis.call("ZREM", KEYS[d + 1], id)
  redis.call("ZREM", KEYS[d + 2], id)
end
local function expire(d)
  local last = redis.call("ZREVRANGE", KEYS[d + 2], 0, 0, "WITHSCORES")
  for index = d, d + 2 do
    if last[2] then redis.call("PEXPIREAT", KEYS[index], last[2]) end
  end
end
`

/**
 * Stores the details of a session. KEYS: user, sessions, details. ARGV: digest of the id, record, last use, end, now, limit
 * or "", whether the oldest sessions end ("1") or the new one is refused, digest of the token of a session that must be in
 * the list or "". Returns `no user`, `exists`, `refused`, `no session` or `created`, and the records of the sessions that it
 * ended.
 */
export const createDetail: Script = defineScript(`${detailFunctions}
local user = redis.call("HMGET", KEYS[1], "born", "fresh")
if not user[1] or user[2] then return { "no user" } end
local held = redis.call("HGET", KEYS[3], ARGV[1])
if held then return { held == ARGV[2] and "created" or "exists" } end
if ARGV[8] ~= "" and not redis.call("ZSCORE", KEYS[2], user[1] .. ARGV[8]) then return { "no session" } end
for _, id in ipairs(redis.call("ZRANGEBYSCORE", KEYS[5], "-inf", ARGV[5])) do remove(3, id) end
local reply = { "created" }
local excess = ARGV[6] == "" and 0 or redis.call("ZCARD", KEYS[5]) - tonumber(ARGV[6]) + 1
if excess > 0 then
  if ARGV[7] ~= "1" then return { "refused" } end
  for _, id in ipairs(redis.call("ZRANGE", KEYS[4], 0, excess - 1)) do
    reply[#reply + 1] = redis.call("HGET", KEYS[3], id)
    remove(3, id)
  end
end
redis.call("HSET", KEYS[3], ARGV[1], ARGV[2])
redis.call("ZADD", KEYS[4], ARGV[3], ARGV[1])
redis.call("ZADD", KEYS[5], ARGV[4], ARGV[1])
expire(3)
return reply
`)

/**
 * Makes a session valid only while its details exist. KEYS: session. ARGV: digest of the id of the details. Returns 0 if the
 * session is gone.
 */
export const trackSession: Script = defineScript(`
if redis.call("EXISTS", KEYS[1]) == 0 then return 0 end
redis.call("HSET", KEYS[1], "tracked", ARGV[1])
return 1
`)

/**
 * Moves the last use and the end of a live session. KEYS: details. ARGV: digest of the id, last use, end. Returns the record,
 * or false if there is none or it ended before.
 */
export const seeDetail: Script = defineScript(`${detailFunctions}
local ends = redis.call("ZSCORE", KEYS[3], ARGV[1])
if not ends or tonumber(ends) <= tonumber(ARGV[2]) then return false end
redis.call("ZADD", KEYS[2], ARGV[2], ARGV[1])
redis.call("ZADD", KEYS[3], ARGV[3], ARGV[1])
expire(1)
return redis.call("HGET", KEYS[1], ARGV[1])
`)

/** Moves the end of a session. KEYS: details. ARGV: digest of the id, end. */
export const extendDetail: Script = defineScript(`${detailFunctions}
redis.call("ZADD", KEYS[3], "XX", ARGV[2], ARGV[1])
expire(1)
return 1
`)

/** Lists the live sessions. KEYS: details. ARGV: now. Returns a list of digest, record, last use and end of each. */
export const listDetails: Script = defineScript(`
local reply = {}
local live = redis.call("ZRANGEBYSCORE", KEYS[3], "(" .. ARGV[1], "+inf", "WITHSCORES")
for index = 1, #live, 2 do
  local id = live[index]
  reply[#reply + 1] = redis.call("HGET", KEYS[1], id)
  reply[#reply + 1] = redis.call("ZSCORE", KEYS[2], id)
  reply[#reply + 1] = live[index + 1]
end
return reply
`)

/**
 * Ends sessions. KEYS: details. ARGV: now, then the position of a digest in the records (or 0 for the digest of the id), the
 * digest, and "" or "except". An empty digest selects all. Returns how many of them were live, and their records.
 */
export const endDetails: Script = defineScript(`${detailFunctions}
local reply = { 0 }
local all = redis.call("HGETALL", KEYS[1])
local first = tonumber(ARGV[2])
for index = 1, #all, 2 do
  local id, record = all[index], all[index + 1]
  local digest = first == 0 and id or string.sub(record, first + 1, first + #ARGV[3])
  local isSame = digest == ARGV[3]
  if ARGV[3] == "" or (ARGV[4] == "except") ~= isSame then
    if tonumber(redis.call("ZSCORE", KEYS[3], id)) > tonumber(ARGV[1]) then reply[1] = reply[1] + 1 end
    reply[#reply + 1] = record
    remove(1, id)
  end
end
return reply
`)

/**
 * Reads the user of a tracked session. KEYS: user, details. ARGV: digest of the id, position of the digest of the session
 * token in the record, that digest. Returns the user, or an empty list if the session was ended.
 */
export const readTrackedUser: Script = defineScript(`
local record = redis.call("HGET", KEYS[2], ARGV[1])
local first = tonumber(ARGV[2])
if not record or string.sub(record, first + 1, first + #ARGV[3]) ~= ARGV[3] then return {} end
return redis.call("HGETALL", KEYS[1])
`)

/**
 * Adds a user to the users with sessions of an account or of a provider's session, for at least as long. KEYS: index. ARGV:
 * digest of the user, end in ms, now.
 */
export const addToIndex: Script = defineScript(`
redis.call("SADD", KEYS[1], ARGV[1])
local left = redis.call("PTTL", KEYS[1])
if left < tonumber(ARGV[2]) - tonumber(ARGV[3]) then redis.call("PEXPIREAT", KEYS[1], ARGV[2]) end
return 1
`)

/** KEYS: index. Returns the digests of its users. */
export const readIndex: Script = defineScript(`return redis.call("SMEMBERS", KEYS[1])`)

/**
 * Adds a change of an account to those of its kind, and removes those that expired. KEYS: kind. ARGV: digest of the change, end
 * in ms, now.
 */
export const addToKind: Script = defineScript(`
redis.call("ZREMRANGEBYSCORE", KEYS[1], "-inf", "(" .. ARGV[3])
local held = redis.call("ZSCORE", KEYS[1], ARGV[1])
if not held or tonumber(held) < tonumber(ARGV[2]) then redis.call("ZADD", KEYS[1], ARGV[2], ARGV[1]) end
redis.call("PEXPIREAT", KEYS[1], redis.call("ZREVRANGE", KEYS[1], 0, 0, "WITHSCORES")[2])
return 1
`)

/** KEYS: kind. Returns the digests of its changes, each followed by its end. */
export const readKind: Script = defineScript(`return redis.call("ZRANGE", KEYS[1], 0, -1, "WITHSCORES")`)

/** Removes changes, unless they were added again since. KEYS: kind. ARGV: digests, each followed by its end as it was read. */
export const removeFromKind: Script = defineScript(`
for index = 1, #ARGV, 2 do
  if redis.call("ZSCORE", KEYS[1], ARGV[index]) == ARGV[index + 1] then redis.call("ZREM", KEYS[1], ARGV[index]) end
end
return 1
`)

/** Writes a value that expires. KEYS: value. ARGV: value, end in ms. */
export const writeCheck: Script = defineScript(`
redis.call("SET", KEYS[1], ARGV[1])
redis.call("PEXPIREAT", KEYS[1], ARGV[2])
return 1
`)

/**
 * Reads and deletes that value. KEYS: value. Returns the value or false, the milliseconds that it had left, and what the
 * server says about its memory, or "" if the user of the connection may not ask.
 */
export const readCheck: Script = defineScript(`
local value, left = redis.call("GET", KEYS[1]), redis.call("PTTL", KEYS[1])
redis.call("DEL", KEYS[1])
local memory = redis.pcall("INFO", "memory")
return { value, left, type(memory) == "string" and memory or "" }
`)

/**
 * What the server says about its memory and its disk, or "" if the user of the connection may not ask, and its time in seconds.
 * KEYS: any, which selects the server of a cluster.
 */
export const describeServer: Script = defineScript(`
local memory, disk, time = redis.pcall("INFO", "memory"), redis.pcall("INFO", "persistence"), redis.pcall("TIME")
return { type(memory) == "string" and memory or "", type(disk) == "string" and disk or "", time[1] or "" }
`)
