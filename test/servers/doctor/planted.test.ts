import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { latchkey } from "../../../packages/cli/test/command.js"
import { describePlanted } from "./describe-planted.js"
import { openExpress } from "./express.js"
import { clean } from "./mistakes.js"
import { secret } from "./stage.js"

describe("latchkey doctor of an Express app", () => {
  describePlanted({ app: "Express", open: openExpress }, (getStage, startProxy) => {
    it("DOC-03: does not believe a certificate that nobody signed, unless its authority is named", async () => {
      const [plan] = clean
      if (!plan) throw new Error("Nothing to deploy")
      const stage = getStage()
      const site = await stage.deploy({ ...plan, address: "127.0.0.1" }, startProxy)
      const args = ["doctor", "--url", `${site}/auth`, "--json"]
      const { code, output } = await latchkey(args, stage.folder)
      expect(code).toBe(2)
      expect(JSON.parse(output).unchecked[0].reason).toContain("has a certificate that is not valid")
      const env = { NODE_EXTRA_CA_CERTS: join(stage.folder, "certificate.pem"), AUTH_SECRET: secret }
      const outcome = await latchkey(args, stage.folder, env)
      expect(outcome).toMatchObject({ code: 0, errors: "" })
      expect(JSON.parse(outcome.output)).toMatchObject({ findings: [], unchecked: [] })
    })
  })
})
