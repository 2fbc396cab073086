import { defineScript, type Script } from "./script.js"

// A user and the lists of what belongs to them. `born` is a random text for the life of the user; `claim` is the one
// under which the address is held, whose digest is `address`; `fresh` is there until the address of a new user is held.

/**
 * Makes a user unless the id is taken. KEYS: user. ARGV: born, ms after which it is forgotten unless settled, digest of
 * the address or "" (then it is there at once), fields. Gives 1, or 0 when the id is taken.
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

/** Forgets a new user whose address was somebody else's. KEYS: user. ARGV: born. */
export const forgetFreshUser: Script = defineScript(`
if redis.call("HGET", KEYS[1], "born") ~= ARGV[1] or redis.call("HEXISTS", KEYS[1], "fresh") == 0 then return 0 end
return redis.call("DEL", KEYS[1])
`)

/**
 * Changes a user together with the address. One that is new has to be claimed first, so the changes are put down. KEYS:
 * user, change. ARGV: claim, ms after which they are forgotten, digest of the new address or "" for none, fields. Gives
 * false without such a user, else: what is to be done, digest of the old address, its claim, the user as it is then.
 */
export const changeAddress: Script = defineScript(`
if redis.call("EXISTS", KEYS[1]) == 0 or redis.call("HEXISTS", KEYS[1], "fresh") == 1 then return false end
local held = redis.call("HMGET", KEYS[1], "address", "claim")
local address, claim = held[1] or "", held[2] or ""
if address == ARGV[3] then
  redis.call("HSET", KEYS[1], unpack(ARGV, 4))
  return { "done", address, claim, redis.call("HGETALL", KEYS[1]) }
end
if ARGV[3] == "" then
  redis.call("HSET", KEYS[1], unpack(ARGV, 4))
  redis.call("HDEL", KEYS[1], "address", "claim")
  return { "release", address, claim, redis.call("HGETALL", KEYS[1]) }
end
redis.call("DEL", KEYS[2])
redis.call("HSET", KEYS[2], "claim", ARGV[1], "address", ARGV[3], unpack(ARGV, 4))
redis.call("PEXPIRE", KEYS[2], ARGV[2])
return { "claim", address, claim, {} }
`)

/** Takes back changes whose address was somebody else's. KEYS: change. ARGV: claim. */
export const dropChange: Script = defineScript(`
if redis.call("HGET", KEYS[1], "claim") ~= ARGV[1] then return 0 end
return redis.call("DEL", KEYS[1])
`)

/**
 * Makes true what a claim of an address stands for: a new user is there to stay, a changed one has the new address.
 * Whoever meets the claim may do it, as often as they like. KEYS: user, change. ARGV: claim. Gives the user as it is
 * then; false when the claim stands for nothing any more.
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
 * Puts down that a record is about to belong to a user. KEYS: user, list. ARGV: digest of the record, score, instant in
 * ms before which entries are forgotten or "". In a list that forgets, scores are expiries, and the list ends with the
 * last. Gives `born`; false without such a user.
 */
export const ownRecord: Script = defineScript(`
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

/** Puts down a session's new expiry. KEYS: list. ARGV: entry, expiry in ms. */
export const rescoreSession: Script = defineScript(`
redis.call("ZADD", KEYS[1], "XX", ARGV[2], ARGV[1])
local last = redis.call("ZREVRANGE", KEYS[1], 0, 0, "WITHSCORES")
if last[2] then redis.call("PEXPIREAT", KEYS[1], last[2]) end
return 1
`)

/** KEYS: lists. ARGV: entries. */
export const disownRecords: Script = defineScript(`
for _, list in ipairs(KEYS) do
  for _, entry in ipairs(ARGV) do redis.call("ZREM", list, entry) end
end
return 1
`)

/** KEYS: user, list. Gives `born` and all entries, in the order of their scores; false without such a user. */
export const listOwned: Script = defineScript(`
local user = redis.call("HMGET", KEYS[1], "born", "fresh")
if not user[1] or user[2] then return false end
return { user[1], redis.call("ZRANGE", KEYS[2], 0, -1) }
`)

/**
 * Removes a user; from then on nothing that belonged to them is found. The lists stay until all that is in them is
 * gone, and the addresses are a list too until then. KEYS: user, change, proven, addresses, other lists. Gives the user
 * and the entries of each list.
 */
export const removeUser: Script = defineScript(`
local reply = { redis.call("HGETALL", KEYS[1]) }
for index = 1, 2 do
  local held = redis.call("HMGET", KEYS[index], "claim", "address")
  if held[1] and held[2] then redis.call("ZADD", KEYS[4], 0, held[1] .. held[2]) end
end
redis.call("DEL", KEYS[1], KEYS[2], KEYS[3])
for index = 4, #KEYS do reply[index - 2] = redis.call("ZRANGE", KEYS[index], 0, -1) end
return reply
`)

/** KEYS: user, proven. ARGV: digest of the address, provider. Gives 0 without such a user. */
export const proveAddress: Script = defineScript(`
if redis.call("EXISTS", KEYS[1]) == 0 or redis.call("HEXISTS", KEYS[1], "fresh") == 1 then return 0 end
redis.call("HSETNX", KEYS[2], ARGV[1], ARGV[2])
return 1
`)
