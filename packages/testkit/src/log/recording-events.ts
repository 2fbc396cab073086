import type { EventCallbacks } from "@latchkey/core/types"

export type EventName = keyof EventCallbacks
type MessageOf<Name extends EventName> = Parameters<EventCallbacks[Name]>[0]

/** Event handlers that keep what they are told. */
export interface RecordingEvents {
  /** Plugs into `config.events`. */
  readonly handlers: EventCallbacks
  /** The names, in the order in which the events happened. */
  names(): readonly EventName[]
  /** The messages of one event, in order. */
  of<Name extends EventName>(name: Name): readonly MessageOf<Name>[]
  clear(): void
}

/** @param next Is told everything too; what it throws is passed on. */
export function recordingEvents(next: Partial<EventCallbacks> = {}): RecordingEvents {
  const records: { readonly name: EventName; readonly message: unknown }[] = []

  function record<Name extends EventName>(
    name: Name,
    pass?: EventCallbacks[Name],
  ): (message: MessageOf<Name>) => Promise<void> {
    const onward: ((message: never) => unknown) | undefined = pass
    return async (message) => {
      records.push({ name, message })
      // The handler of this name takes the message of this name.
      await onward?.(message as never)
    }
  }

  return {
    handlers: {
      signIn: record("signIn", next.signIn),
      signOut: record("signOut", next.signOut),
      createUser: record("createUser", next.createUser),
      updateUser: record("updateUser", next.updateUser),
      linkAccount: record("linkAccount", next.linkAccount),
      session: record("session", next.session),
    },
    names: () => records.map(({ name }) => name),
    // Only the handler of this name has put messages under it.
    of: <Name extends EventName>(name: Name) =>
      records.filter((entry) => entry.name === name).map(({ message }) => message as MessageOf<Name>),
    clear: () => void records.splice(0),
  }
}
