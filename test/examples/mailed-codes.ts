import { mailScanner, scannerModes } from "@latchkey/testkit"
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import type { Example } from "./example.js"
import type { Stage } from "./stage.js"
import { closeWithoutProblems, openVisit, type Visit } from "./visit.js"

const wrongCode = "That code is not right. Check the newest email and type its six digits."

/** Tests of mails that are asked for in one browser and read in another, with JavaScript and without. */
export function describeMailedCodes(example: Example, stage: () => Stage): void {
  const ways = example.worksWithoutScript ? [true, false] : [true]
  describe.each(ways)("a mail that is read on another device, with JavaScript: %s", (hasScript) => {
    const mark = hasScript ? "" : "-without-script"
    const addressOf = (name: string): string => `${name}${mark}@example.com`
    let laptop: Visit
    let phone: Visit

    beforeAll(() => stage().forgetVisitors())
    beforeEach(async () => {
      laptop = await openVisit(example, stage(), hasScript)
      phone = await openVisit(example, stage(), hasScript, { viewport: { width: 320, height: 640 } })
    })
    afterEach(async () => {
      await laptop.close()
      await phone.close()
    })

    async function askOnLaptop(email: string): Promise<void> {
      await laptop.open("/login")
      await laptop.askForLink(email)
      await laptop.expectHeading("Check your email")
    }

    /** The phone shows whose link it is, and signs no one in. */
    async function openOnPhone(email: string): Promise<void> {
      await phone.followLink(email)
      expect(await phone.page.locator("main").textContent()).toContain(`${email.slice(0, 1)}•••@example.com`)
      expect((await phone.context.cookies()).filter(({ name }) => name.includes("session-token"))).toEqual([])
    }

    it("signs in where its six digits are typed, and its link works no more", async () => {
      const email = addressOf("mary")
      await askOnLaptop(email)
      await openOnPhone(email)
      await phone.look(`link-on-phone${mark}`)
      await laptop.look(`code${mark}`)
      await laptop.typeCode(readCode(email, stage()))
      await laptop.expectPath("/")
      await laptop.expectSignedInAs(email)
      await closeWithoutProblems(laptop)
      await phone.page.getByRole("button").click()
      await phone.expectPath(`${example.basePath}/error`)
      await phone.open("/")
      await phone.expectNobody()
    })

    it("signs in on the other device when its button is pressed, and its digits work no more", async () => {
      const email = addressOf("dorothy")
      await askOnLaptop(email)
      await openOnPhone(email)
      await phone.page.getByRole("button").click()
      await phone.expectPath("/")
      await phone.expectSignedInAs(email)
      await closeWithoutProblems(phone)
      await laptop.typeCode(readCode(email, stage()))
      await laptop.open("/")
      await laptop.expectNobody()
    })

    it("signs in at once in another tab of the browser that asked, where the first tab then is signed in as well", async () => {
      const email = addressOf("creola")
      await askOnLaptop(email)
      const tab = laptop.inTab(await laptop.context.newPage())
      await tab.followLink(email)
      await tab.expectPath("/")
      await tab.expectSignedInAs(email)
      await laptop.open("/")
      await laptop.expectSignedInAs(email)
      await closeWithoutProblems(laptop)
    })

    if (hasScript) {
      it("is not used up by scanners that open its link first", async () => {
        const email = addressOf("valerie")
        await askOnLaptop(email)
        const text = stage().standIns.findMail(email)?.text ?? ""
        for (const mode of scannerModes) if (mode !== "buttons") await mailScanner(mode).scan(text)
        await laptop.followLink(email)
        await laptop.expectPath("/")
        await laptop.expectSignedInAs(email)
        await closeWithoutProblems(laptop)
      })

      it("signs in no one else when a scanner presses the button behind its link", async () => {
        const email = addressOf("evelyn")
        await askOnLaptop(email)
        await mailScanner("buttons").scan(stage().standIns.findMail(email)?.text ?? "")
        await laptop.typeCode(readCode(email, stage()))
        await laptop.open("/")
        await laptop.expectNobody()
        await phone.followLink(email)
        await phone.open("/")
        await phone.expectNobody()
      })
    }

    it("takes the right digits after wrong ones, and none of another browser", async () => {
      const email = addressOf("annie")
      await askOnLaptop(email)
      const code = readCode(email, stage())
      await laptop.typeCode(code === "000000" ? "000001" : "000000")
      await laptop.expectAlert(wrongCode)
      await laptop.look(`wrong-code${mark}`)
      await phone.open("/login")
      await phone.askForLink(addressOf("eve"))
      await phone.expectHeading("Check your email")
      await phone.typeCode(code)
      await phone.expectAlert(wrongCode)
      await laptop.typeCode(`${code.slice(0, 3)} ${code.slice(3)}`)
      await laptop.expectSignedInAs(email)
      await phone.open("/")
      await phone.expectNobody()
    })
  })
}

/** The six digits of the newest mail to an address. */
function readCode(email: string, { standIns }: Stage): string {
  const [code] = /\b\d{6}\b/.exec(standIns.findMail(email)?.text ?? "") ?? []
  if (code === undefined) throw new Error("The email has no code")
  return code
}
