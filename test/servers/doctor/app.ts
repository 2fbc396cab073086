// A small Express app, bundled and started as a process of its own by the tests of `latchkey doctor`.
import { answerDoctor } from "@latchkey/core/doctor"
import Credentials from "@latchkey/core/providers/credentials"
import { ExpressAuth } from "@latchkey/express"
import express from "express"
import type { AppSettings } from "./mistakes.js"

const { port, trustProxy, basePath, provider, clientId, hasWall }: AppSettings = JSON.parse(
  process.env["DOCTOR_APP"] ?? "{}",
)

const app = express()
if (trustProxy !== undefined) app.set("trust proxy", trustProxy)
if (hasWall) app.use((req, res, next) => (req.path === "/login" ? next() : res.redirect("/login?from=app")))
app.use(express.json())
app.use(
  "/auth",
  ExpressAuth({
    ...(basePath !== undefined && { basePath }),
    doctor: answerDoctor(),
    providers: [
      Credentials({ credentials: { username: {} }, authorize: () => null }),
      {
        id: "demo",
        name: "Demo",
        type: "oauth",
        clientId: clientId ?? "known",
        clientSecret: "s3cret-of-the-client",
        authorization: `${provider}/auth?scope=openid`,
        token: `${provider}/token`,
        userinfo: `${provider}/me`,
      },
    ],
  }),
)
app.get("/login", (_req, res) => void res.send("<form><input type=password></form>"))
app.listen(port, "127.0.0.1", () => process.send?.("ready"))
