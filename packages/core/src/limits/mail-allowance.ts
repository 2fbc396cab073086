import { TooManyRequests } from "../errors/request.js"
import type { Log } from "../log/log.js"
import type { Visit } from "../web/visit.js"
import { toAccountName, toMailboxName } from "./account-names.js"
import type { AttemptsNeeds } from "./attempts.js"

/** A mail that may be sent. */
export interface MailAllowance {
  /** The mail did not go: it may be asked for again at once. */
  giveBack(): Promise<void>
}

export interface MailNeeds extends AttemptsNeeds {
  readonly log: Log
}

/**
 * Counts a mail before it is sent. Null when there were too many: the visitor is answered as ever, and nothing is sent.
 */
export async function allowMail(address: string, visit: Visit, needs: MailNeeds): Promise<MailAllowance | null> {
  try {
    return await count(address, visit, needs)
  } catch (error) {
    if (!(error instanceof TooManyRequests)) throw error
    needs.log.warn("mail-withheld")
    needs.log.recordFailure(error, visit)
    return null
  }
}

async function count(
  address: string,
  visit: Visit,
  { counters, findNetwork, knownNetworks }: MailNeeds,
): Promise<MailAllowance> {
  const network = findNetwork(visit)
  const mailbox = await knownNetworks.holderOf(toMailboxName(address), network)
  // Of the same network or of none, as the mailbox: a stranger who asks all the time must not keep the owner's mails
  // away.
  const repeats = { ...mailbox, account: toAccountName(address, "mail").counted }
  // A network that asked for too many takes nothing away from those whose addresses it names.
  await counters.admit("mailsPerNetwork", { network })
  await counters.admit("mailRepeats", repeats)
  await counters.admit("mailsPerAddress", mailbox)
  return {
    async giveBack() {
      await Promise.all([
        counters.refund("mailsPerNetwork", { network }),
        counters.forget("mailRepeats", repeats),
        counters.refund("mailsPerAddress", mailbox),
      ])
    },
  }
}
