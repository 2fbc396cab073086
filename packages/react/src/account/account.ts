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
import { useContext, useSyncExternalStore } from "react"
import { ConnectionContext } from "../session.js"

/** A part of the account, and what can be done with it. */
export type UsedAccount<Data, Actions> = AccountState<Data> &
  Actions & {
    /** Requests the data again. A failure is in `error`. */
    readonly refresh: () => Promise<void>
  }

/**
 * The account of the signed-in user: profile, address, ways to sign in, passkeys, password, export and deletion. All
 * components share one request, which is sent once someone is signed in.
 * @throws Error outside a `SessionProvider`
 * @example const { data: account, saveProfile, error } = useAccount()
 */
export function useAccount(): UsedAccount<Account, AccountActions> {
  return useStore(getAccountStore)
}

/**
 * The sessions of the signed-in user, this browser's first. All components share one request.
 * @throws Error outside a `SessionProvider`
 * @example const { data: sessions, end, endOthers, error } = useSessions()
 */
export function useSessions(): UsedAccount<readonly AccountSession[], SessionsActions> {
  return useStore(getSessionsStore)
}

/**
 * The second factors of the signed-in user. All components share one request.
 * @throws Error outside a `SessionProvider`
 * @example const { data: factors, beginTotp, confirmTotp, error } = useFactors()
 */
export function useFactors(): UsedAccount<readonly AccountFactor[], FactorsActions> {
  return useStore(getFactorsStore)
}

function useStore<Data, Actions>(
  getStore: (options: AccountStoreOptions) => AccountStore<Data, Actions>,
): UsedAccount<Data, Actions> {
  const connection = useContext(ConnectionContext)
  if (!connection)
    throw new Error("The hooks of the account must be used inside <SessionProvider>. Wrap your app in one")
  const { client, store: session } = connection
  const store = getStore({ client, session })
  const state = useSyncExternalStore(store.subscribe, store.getState, store.getInitialState)
  return { ...state, ...store.actions, refresh: store.refresh }
}
