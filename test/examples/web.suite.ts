import { afterAll, beforeAll, describe } from "vitest"
import { describeClientSession } from "./client-session.js"
import { describeDefaults } from "./defaults.js"
import { describeDeployments } from "./deployments.js"
import { readExample } from "./example.js"
import { describeMailedCodes } from "./mailed-codes.js"
import { describeOwnForms } from "./own-forms.js"
import { describeProfile } from "./profile.js"
import { describeRefusals } from "./refusals.js"
import { describeSignInFlows } from "./sign-in-flows.js"
import { openStage, type Stage } from "./stage.js"
import { describeUserSessions } from "./user-sessions.js"

const example = readExample()

describe(example.name, () => {
  let stage: Stage

  beforeAll(async () => {
    stage = await openStage(example)
  })
  afterAll(() => stage?.close())

  describeSignInFlows(example, () => stage)
  if (example.hasOwnForms) describeOwnForms(example, () => stage)
  if (example.hasMail) describeMailedCodes(example, () => stage)
  if (example.sessionBound !== undefined) describeUserSessions(example, () => stage, example.sessionBound)
  if (example.hasProfile) describeProfile(example, () => stage)
  if (example.hasClient) describeClientSession(example, () => stage)
  describeRefusals(example, () => stage)
  describeDeployments(example, () => stage)
  describeDefaults(example, () => stage)
})
