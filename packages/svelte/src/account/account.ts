import {
  type Account,
  type AccountActions,
  type AccountFactor,
  type AccountSession,
  type AccountState,
  type AccountStore,
  type AccountStoreOptions,
  type FactorsActions,
  getAccountStore,
  getFactorsStore,
  getSessionsStore,
  type SessionsActions,
} from "@latchkey/client/account"
import { createSubscriber } from "svelte/reactivity"
import { getConnection, type ReactiveSession, useSession } from "../session.js"

/** A part of the account, and what can be done with it. `status`, `data`, `error` and `isPending` are reactive. */
export type UsedAccount<Data, Actions> = AccountState<Data> &
  Actions & {
    /** Requests the data again. A failure is in `error`. */
    readonly refresh: () => Promise<void>
  }

/**
 * The account of the signed-in user: profile, address, ways to sign in, passkeys, password, export and deletion. Do not take
 * it apart: its fields are reactive. All components share one request, which is sent once someone is signed in.
 * @param session Default: that of the root layout.
 * @example const account = useAccount()
 */
export function useAccount(session: ReactiveSession = useSession()): UsedAccount<Account, AccountActions> {
  return follow(getAccountStore, session)
}

/**
 * The sessions of the signed-in user, this browser's first; see `useAccount`.
 * @example const sessions = useSessions()
 */
export function useSessions(
  session: ReactiveSession = useSession(),
): UsedAccount<readonly AccountSession[], SessionsActions> {
  return follow(getSessionsStore, session)
}

/**
 * The second factors of the signed-in user; see `useAccount`.
 * @example const factors = useFactors()
 */
export function useFactors(
  session: ReactiveSession = useSession(),
): UsedAccount<readonly AccountFactor[], FactorsActions> {
  return follow(getFactorsStore, session)
}

function follow<Data, Actions>(
  getStore: (options: AccountStoreOptions) => AccountStore<Data, Actions>,
  session: ReactiveSession,
): UsedAccount<Data, Actions> {
  const store = getStore(getConnection(session))
  const subscribe = createSubscriber((onChange) => store.subscribe(onChange))
  const read = (): AccountState<Data> => {
    subscribe()
    return store.getState()
  }
  const fields = {
    get status() {
      return read().status
    },
    get data() {
      return read().data
    },
    get error() {
      return read().error
    },
    get isPending() {
      return read().isPending
    },
    refresh: store.refresh,
  }
  // The compiler cannot follow that status and data are of one state.
  return Object.assign(fields, store.actions) as unknown as UsedAccount<Data, Actions>
}
