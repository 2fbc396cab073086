import { testRefusedBodiesBehindNginx } from "@latchkey/testkit/integration"
import { Hono } from "hono"
import { HonoAuth } from "../../src/index.js"
import { listen } from "../serve.js"

testRefusedBodiesBehindNginx((config) => listen(new Hono().use(HonoAuth(config)).fetch))
