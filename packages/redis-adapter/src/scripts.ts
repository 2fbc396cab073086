import { hash } from "node:crypto"

/** A Lua script, which the server runs as one atomic step. */
export interface Script {
  readonly text: string
  /** The SHA-1 of the text, by which servers know scripts. */
  readonly sha: string
}

export function defineScript(text: string): Script {
  return { text, sha: hash("sha1", text) }
}

// Users, and the lists of their records. `born` is a random id of the user's incarnation. `claim` is the id under which
// the user's email is held, and `address` the digest of that email. `fresh` is set until a new user holds their email.

/**
 * Creates a user unless the id is taken. KEYS: user. ARGV: born, ms until the user expires unless settled, digest of
 * the email or "" (then the user is settled at once), fields. Returns 1, or 0 if the id is taken.
 */
export const createUser: Script = defineScript(`
local born = redis.call("HGET", KEYS[1], "born")
if born then return born == ARGV[1] and 1 or 0 end
redis.call("HSET", KEYS[1], "born", ARGV[1], unpack(ARGV, 4))
if ARGV[3] ~= "" then
  redis.call("HSET", KEYS[1], "claim", ARGV[1], "address", ARGV[3], "fresh", "1")
  redis.call("PEXPIRE", KEYS[1], ARGV[2])
end
return 1
`)

/** Deletes a new user whose email belongs to another one. KEYS: user. ARGV: born. */
export const discardNewUser: Script = defineScript(`
if redis.call("HGET", KEYS[1], "born") ~= ARGV[1] or redis.call("HEXISTS", KEYS[1], "fresh") == 0 then return 0 end
return redis.call("DEL", KEYS[1])
`)

/**
 * Updates a user and their email. A new email must be claimed first, so the changes are kept as pending. KEYS: user,
 * change. ARGV: claim, ms until pending changes expire, digest of the new email or "" for none, digest of the email that the
 * user must have, "none" for no email or "" for any, fields. Returns false if there is no such user, or one with another
 * email, or else: what to do next, digest of the old email, its claim, the user after the update.
 */
export const changeEmail: Script = defineScript(`
if redis.call("EXISTS", KEYS[1]) == 0 or redis.call("HEXISTS", KEYS[1], "fresh") == 1 then return false end
local held = redis.call("HMGET", KEYS[1], "address", "claim", "by")
local address, claim = held[1] or "", held[2] or ""
if held[3] == ARGV[1] then return { "done", "", "", redis.call("HGETALL", KEYS[1]) } end
if ARGV[4] == "none" and address ~= "" then return false end
if ARGV[4] ~= "" and ARGV[4] ~= "none" and ARGV[4] ~= address then return false end
if address == ARGV[3] then
  redis.call("HSET", KEYS[1], unpack(ARGV, 5))
  return { "done", address, claim, redis.call("HGETALL", KEYS[1]) }
end
if ARGV[3] == "" then
  redis.call("HSET", KEYS[1], "by", ARGV[1], unpack(ARGV, 5))
  redis.call("HDEL", KEYS[1], "address", "claim")
  return { "release", address, claim, redis.call("HGETALL", KEYS[1]) }
end
redis.call("DEL", KEYS[2])
redis.call("HSET", KEYS[2], "claim", ARGV[1], "address", ARGV[3], unpack(ARGV, 5))
redis.call("PEXPIRE", KEYS[2], ARGV[2])
return { "claim", address, claim, {} }
`)

/** Deletes pending changes whose email belongs to another user. KEYS: change. ARGV: claim. */
export const discardChange: Script = defineScript(`
if redis.call("HGET", KEYS[1], "claim") ~= ARGV[1] then return 0 end
return redis.call("DEL", KEYS[1])
`)

/**
 * Completes the claim of an email: makes a new user permanent, or applies the pending changes. Any caller that finds
 * the claim may run it, any number of times. KEYS: user, change. ARGV: claim. Returns the user, or false if the claim
 * is stale.
 */
export const settleClaim: Script = defineScript(`
if redis.call("HGET", KEYS[1], "claim") == ARGV[1] then
  if redis.call("HDEL", KEYS[1], "fresh") == 1 then redis.call("PERSIST", KEYS[1]) end
  return redis.call("HGETALL", KEYS[1])
end
if redis.call("EXISTS", KEYS[1]) == 0 or redis.call("HGET", KEYS[2], "claim") ~= ARGV[1] then return false end
redis.call("HSET", KEYS[1], unpack(redis.call("HGETALL", KEYS[2])))
redis.call("DEL", KEYS[2])
return redis.call("HGETALL", KEYS[1])
`)

/**
 * Marks an email as verified. KEYS: user, verified emails. ARGV: digest of the email, provider. Returns 0 without such
 * a user.
 */
export const markVerified: Script = defineScript(`
if redis.call("EXISTS", KEYS[1]) == 0 or redis.call("HEXISTS", KEYS[1], "fresh") == 1 then return 0 end
redis.call("HSETNX", KEYS[2], ARGV[1], ARGV[2])
return 1
`)

/**
 * Deletes a user, after which none of their records is found. The lists stay until everything in them is deleted, and
 * so do the emails, as a list. KEYS: user, change, five other keys to delete, addresses, other lists. Returns the user and
 * the entries of each list.
 */
export const deleteUser: Script = defineScript(`
local reply = { redis.call("HGETALL", KEYS[1]) }
for index = 1, 2 do
  local held = redis.call("HMGET", KEYS[index], "claim", "address")
  if held[1] and held[2] then redis.call("ZADD", KEYS[8], 0, held[1] .. held[2]) end
end
redis.call("DEL", unpack(KEYS, 1, 7))
for index = 8, #KEYS do reply[index - 6] = redis.call("ZRANGE", KEYS[index], 0, -1) end
return reply
`)

/**
 * Adds a record to a list of its user before it is created. KEYS: user, list. ARGV: digest of the record, score, now in
 * ms or "" for a list that does not expire. In a list that does, scores are expiry dates: older entries are removed,
 * and the list expires with its last entry. Returns `born`, or false without such a user.
 */
export const addToList: Script = defineScript(`
local user = redis.call("HMGET", KEYS[1], "born", "fresh")
if not user[1] or user[2] then return false end
redis.call("ZADD", KEYS[2], ARGV[2], user[1] .. ARGV[1])
if ARGV[3] ~= "" then
  redis.call("ZREMRANGEBYSCORE", KEYS[2], "-inf", "(" .. ARGV[3])
  local last = redis.call("ZREVRANGE", KEYS[2], 0, 0, "WITHSCORES")
  if last[2] then redis.call("PEXPIREAT", KEYS[2], last[2]) end
end
return user[1]
`)

/** Sets a session's new expiry in the list. KEYS: list. ARGV: entry, expiry in ms. */
export const updateExpiryInList: Script = defineScript(`
redis.call("ZADD", KEYS[1], "XX", ARGV[2], ARGV[1])
local last = redis.call("ZREVRANGE", KEYS[1], 0, 0, "WITHSCORES")
if last[2] then redis.call("PEXPIREAT", KEYS[1], last[2]) end
return 1
`)

/** KEYS: lists. ARGV: entries. */
export const removeFromLists: Script = defineScript(`
for _, list in ipairs(KEYS) do
  for _, entry in ipairs(ARGV) do redis.call("ZREM", list, entry) end
end
return 1
`)

/** KEYS: user, list. Returns `born` and all entries in the order of their scores, or false without such a user. */
export const readList: Script = defineScript(`
local user = redis.call("HMGET", KEYS[1], "born", "fresh")
if not user[1] or user[2] then return false end
return { user[1], redis.call("ZRANGE", KEYS[2], 0, -1) }
`)

// Emails and who holds them, each in its own slot.

/**
 * Claims an email unless it is held. KEYS: email. ARGV: user id as stored, claim, a stale claim to replace or "".
 * Returns the claim and the user id of the holder, or false.
 */
export const claimEmail: Script = defineScript(`
local held = redis.call("HMGET", KEYS[1], "claim", ".userId")
if held[1] and held[1] ~= ARGV[2] and held[1] ~= ARGV[3] then return held end
redis.call("HSET", KEYS[1], "claim", ARGV[2], ".userId", ARGV[1])
return false
`)

/** Releases an email, if it is still held under the claim. KEYS: email. ARGV: claim. */
export const releaseEmail: Script = defineScript(`
if redis.call("HGET", KEYS[1], "claim") ~= ARGV[1] then return 0 end
return redis.call("DEL", KEYS[1])
`)

// Records with keys of their own: accounts, sessions, credentials, verification tokens. `born` is the incarnation of
// the record's user, `by` the call that created it.

/**
 * Creates a record unless it exists. A client that lost the response may send it twice: the second call finds its own
 * record. KEYS: record. ARGV: born, by, expiry in ms or "", born of a record to replace or "", fields. Returns `born`
 * and the owner of an existing record, or false.
 */
export const createRecord: Script = defineScript(`
local held = redis.call("HMGET", KEYS[1], "born", "by", ".userId")
if held[1] then
  if held[2] == ARGV[2] then return false end
  if held[1] ~= ARGV[4] then return { held[1], held[3] or "" } end
  redis.call("DEL", KEYS[1])
end
redis.call("HSET", KEYS[1], "born", ARGV[1], "by", ARGV[2], unpack(ARGV, 5))
if ARGV[3] ~= "" then redis.call("PEXPIREAT", KEYS[1], ARGV[3]) end
return false
`)

/**
 * Updates fields of a record. KEYS: record. ARGV: expiry in ms or "", fields. Returns the updated record, or false if
 * missing.
 */
export const updateRecord: Script = defineScript(`
if redis.call("EXISTS", KEYS[1]) == 0 or redis.call("HEXISTS", KEYS[1], "fresh") == 1 then return false end
if #ARGV > 1 then redis.call("HSET", KEYS[1], unpack(ARGV, 2)) end
local record = redis.call("HGETALL", KEYS[1])
if ARGV[1] ~= "" then redis.call("PEXPIREAT", KEYS[1], ARGV[1]) end
return record
`)

/**
 * Raises a counter, never lowers it. KEYS: credential. ARGV: counter. Returns the updated record, or false if missing.
 */
export const raiseCounter: Script = defineScript(`
if redis.call("EXISTS", KEYS[1]) == 0 then return false end
local counter = tonumber(redis.call("HGET", KEYS[1], ".counter") or "0")
if tonumber(ARGV[1]) > counter then redis.call("HSET", KEYS[1], ".counter", ARGV[1]) end
return redis.call("HGETALL", KEYS[1])
`)

/** Deletes a record. KEYS: record. Returns it, or an empty list if missing. */
export const takeRecord: Script = defineScript(`
local record = redis.call("HGETALL", KEYS[1])
redis.call("DEL", KEYS[1])
return record
`)

/** Deletes a record if it belongs to this incarnation of its user. KEYS: record. ARGV: born. */
export const discardRecord: Script = defineScript(`
if redis.call("HGET", KEYS[1], "born") ~= ARGV[1] then return 0 end
return redis.call("DEL", KEYS[1])
`)

/** Consumes an id. KEYS: consumed id. ARGV: id of the call, expiry in ms. Returns 1 to the first call only. */
export const consumeId: Script = defineScript(`
if redis.call("SET", KEYS[1], ARGV[1], "NX") then
  redis.call("PEXPIREAT", KEYS[1], ARGV[2])
  return 1
end
return redis.call("GET", KEYS[1]) == ARGV[1] and 1 or 0
`)
