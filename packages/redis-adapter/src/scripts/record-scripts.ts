import { defineScript, type Script } from "./script.js"

// Records that have a key of their own: accounts, sessions, credentials, verification tokens. `born` names the life of
// the user to whom a record belongs, `by` the call that made it.

/**
 * Makes a record unless there is one. A client that lost the answer may send it twice: the second time finds its own.
 * KEYS: record. ARGV: born, by, expiry in ms or "", born of a record that may be replaced or "", fields.
 * Gives `born` and the owner of the record in the way, or false.
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
 * Changes fields of a record that is there. KEYS: record. ARGV: expiry in ms or "", fields.
 * Gives the record as it is then; false when there is none.
 */
export const changeRecord: Script = defineScript(`
if redis.call("EXISTS", KEYS[1]) == 0 or redis.call("HEXISTS", KEYS[1], "fresh") == 1 then return false end
if #ARGV > 1 then redis.call("HSET", KEYS[1], unpack(ARGV, 2)) end
local record = redis.call("HGETALL", KEYS[1])
if ARGV[1] ~= "" then redis.call("PEXPIREAT", KEYS[1], ARGV[1]) end
return record
`)

/** Raises the counter, never lowers it. KEYS: credential. ARGV: counter. Gives the record as it is then, or false. */
export const raiseCounter: Script = defineScript(`
if redis.call("EXISTS", KEYS[1]) == 0 then return false end
local counter = tonumber(redis.call("HGET", KEYS[1], ".counter") or "0")
if tonumber(ARGV[1]) > counter then redis.call("HSET", KEYS[1], ".counter", ARGV[1]) end
return redis.call("HGETALL", KEYS[1])
`)

/** Removes a record. KEYS: record. Gives it; an empty list when there is none. */
export const takeRecord: Script = defineScript(`
local record = redis.call("HGETALL", KEYS[1])
redis.call("DEL", KEYS[1])
return record
`)

/** Removes a record of a life of its owner that is over. KEYS: record. ARGV: born. */
export const discardRecord: Script = defineScript(`
if redis.call("HGET", KEYS[1], "born") ~= ARGV[1] then return 0 end
return redis.call("DEL", KEYS[1])
`)

/** KEYS: spent id. ARGV: the call, expiry in ms. Gives 1 to the first call alone. */
export const spendId: Script = defineScript(`
if redis.call("SET", KEYS[1], ARGV[1], "NX") then
  redis.call("PEXPIREAT", KEYS[1], ARGV[2])
  return 1
end
return redis.call("GET", KEYS[1]) == ARGV[1] and 1 or 0
`)
