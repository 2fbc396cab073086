import { type OpenStage, useBrowser } from "../stage.js"
import { testAccountArea } from "./account.suite.js"
import { testPasskeys } from "./passkeys.suite.js"
import { testPasswords } from "./passwords.suite.js"
import { testSecondStep } from "./second-step.suite.js"
import { testSignIn } from "./sign-in.suite.js"

/** What people do in the demo, in a browser, over one store. */
export function testJourneys(openStageIn: OpenStage): void {
  const browser = useBrowser()
  const openStage = () => openStageIn(browser())
  testSignIn(openStage)
  testPasswords(openStage)
  testSecondStep(openStage)
  testPasskeys(openStage)
  testAccountArea(openStage)
}
