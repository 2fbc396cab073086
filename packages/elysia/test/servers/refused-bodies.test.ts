import { testRefusedBodiesBehindNginx } from "@latchkey/testkit/integration"
import { ElysiaAuth } from "../../src/index.js"
import { createApp, listen } from "../serve.js"

testRefusedBodiesBehindNginx((config) => listen(createApp().use(ElysiaAuth(config))))
