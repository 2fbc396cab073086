import { defineScript, type Script } from "./script.js"

// An address and who holds it, in a slot of its own.

/**
 * Takes an address unless it is held. KEYS: address. ARGV: user id as stored, claim, a claim that may be replaced or
 * "". Gives the claim and the user id of who holds it, or false.
 */
export const claimAddress: Script = defineScript(`
local held = redis.call("HMGET", KEYS[1], "claim", ".userId")
if held[1] and held[1] ~= ARGV[2] and held[1] ~= ARGV[3] then return held end
redis.call("HSET", KEYS[1], "claim", ARGV[2], ".userId", ARGV[1])
return false
`)

/** Gives an address back. KEYS: address. ARGV: claim. */
export const releaseAddress: Script = defineScript(`
if redis.call("HGET", KEYS[1], "claim") ~= ARGV[1] then return 0 end
return redis.call("DEL", KEYS[1])
`)
