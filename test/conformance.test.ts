import { expect, it } from "vitest"
import { plans } from "../packages/core/test/conformance/plans.js"
import { renderConformance } from "../packages/core/test/conformance/render-conformance.js"

it("docs/conformance.md says what the tests say (`vitest -u` writes it anew)", async () => {
  await expect(renderConformance(plans)).toMatchFileSnapshot("../docs/conformance.md")
})
