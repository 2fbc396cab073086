import { EventError } from "../errors/errors.js"
import type { AuditEvent, LogContext } from "../log/audit-event.js"
import type { Log } from "../log/log.js"
import { hostDeadlineMs, withDeadline } from "../runtime/promise.js"
import type { Optional } from "../types/basics.js"
import type { EventCallbacks, SignOutMessage } from "../types/callbacks.js"
import type { Account } from "../types/user.js"
import { toCleanError } from "./callbacks.js"

type EventName = keyof EventCallbacks
type EventMessage<Name extends EventName> = Parameters<EventCallbacks[Name]>[0]

/** Calls the event handlers of the configuration. Never throws: a handler must not change the result of a request. */
export interface Events {
  /** @param context The request, for the log record of a handler that fails. */
  send<Name extends EventName>(name: Name, message: EventMessage<Name>, context?: LogContext): Promise<void> | undefined
  /** Returns the events of one request, which are recorded in the log too. */
  of(context: LogContext): Events
}

/** Creates the events of a configuration. */
export function createEvents(handlers: Optional<EventCallbacks> | undefined, log: Log): Events {
  const send: Events["send"] = (name, message, context) => {
    const handler = handlers?.[name]
    // The name ties the handler's type to the message's.
    return handler && call({ name, message }, () => handler.call(handlers, message as never), context)
  }

  async function call(
    { name, message }: { readonly name: EventName; readonly message: object },
    handler: () => unknown,
    context: LogContext | undefined,
  ): Promise<void> {
    try {
      const createError = () => new Error(`The handler took longer than ${hostDeadlineMs} ms`)
      await withDeadline(Promise.resolve(handler()), hostDeadlineMs, createError)
    } catch (error) {
      const cause = await toCleanError(error, [message])
      log.error(new EventError(`events.${name} failed: ${cause.message}`, cause), context)
    }
  }

  const of = (context: LogContext): Events => ({
    send(name, message) {
      const event = auditEvents[name]?.(message)
      if (event) log.record(event, context)
      return send(name, message, context)
    },
    of,
  })
  return { send, of }
}

/** The audit event of each message. Reading a session is not recorded. */
const auditEvents: { readonly [Name in EventName]?: (message: EventMessage<Name>) => AuditEvent } = {
  signIn: ({ user, account }) => ({ kind: "sign-in", userId: user.id, ...toProvider(account) }),
  signOut: (message) => ({ kind: "sign-out", userId: findUserId(message) }),
  createUser: ({ user }) => ({ kind: "user-created", userId: user.id }),
  updateUser: ({ user }) => ({ kind: "user-updated", userId: user.id }),
  linkAccount: ({ user, account }) => ({ kind: "account-linked", userId: user.id, ...toProvider(account) }),
}

function toProvider(account: Account | null | undefined): Pick<AuditEvent, "providerId"> {
  return account ? { providerId: account.provider } : {}
}

function findUserId(message: SignOutMessage): string | undefined {
  return "session" in message ? message.session?.userId : message.token?.sub
}
