import { testKeptTokens } from "../processes/kept-tokens.suite.js"
import { onMariadb, onPostgres, onRedis } from "../processes/stores.js"

testKeptTokens(onPostgres, onMariadb, onRedis, {
  ...onRedis,
  name: "a token store in Redis, without an adapter",
  keep: "redis",
})
