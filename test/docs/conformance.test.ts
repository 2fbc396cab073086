import { expect, it } from "vitest"
import { plans } from "../../packages/core/test/conformance/plans.js"
import { renderConformance } from "../../packages/core/test/conformance/render-conformance.js"

it("docs/conformance.md is up to date (`npm test -- conformance -u` writes it)", async () => {
  await expect(renderConformance(plans)).toMatchFileSnapshot("../../docs/conformance.md")
})
