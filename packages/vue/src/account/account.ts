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
import { type ComputedRef, computed, inject, onMounted, onScopeDispose, shallowRef } from "vue"
import { connectionKey } from "../session.js"

/** A part of the account, and what can be done with it. */
export type UsedAccount<Data, Actions> = Actions & {
  /** `loading` until the first answer, `unauthenticated` while no one is signed in. */
  readonly status: ComputedRef<AccountState<Data>["status"]>
  /** Null unless the status is `ready`. */
  readonly data: ComputedRef<Data | null>
  /** Why the last request or action failed. Null after one that succeeded. */
  readonly error: ComputedRef<AccountState<Data>["error"]>
  /** Whether an action is running. */
  readonly isPending: ComputedRef<boolean>
  /** Requests the data again. A failure is in `error`. */
  readonly refresh: () => Promise<void>
}

/**
 * The account of the signed-in user: profile, address, ways to sign in, passkeys, password, export and deletion. All
 * components share one request, which is sent once someone is signed in.
 * @throws Error in an app without `createAuth`
 * @example const { data: account, saveProfile, error } = useAccount()
 */
export function useAccount(): UsedAccount<Account, AccountActions> {
  return useStore(getAccountStore)
}

/**
 * The sessions of the signed-in user, this browser's first. All components share one request.
 * @throws Error in an app without `createAuth`
 * @example const { data: sessions, end, endOthers, error } = useSessions()
 */
export function useSessions(): UsedAccount<readonly AccountSession[], SessionsActions> {
  return useStore(getSessionsStore)
}

/**
 * The second factors of the signed-in user. All components share one request.
 * @throws Error in an app without `createAuth`
 * @example const { data: factors, beginTotp, confirmTotp, error } = useFactors()
 */
export function useFactors(): UsedAccount<readonly AccountFactor[], FactorsActions> {
  return useStore(getFactorsStore)
}

function useStore<Data, Actions>(
  getStore: (options: AccountStoreOptions) => AccountStore<Data, Actions>,
): UsedAccount<Data, Actions> {
  const connection = inject(connectionKey, null)
  if (!connection) throw new Error("The composables of the account need the plugin. Write app.use(createAuth())")
  const { client, store: session } = connection
  const store = getStore({ client, session })
  // What the server has rendered, until the component is mounted.
  const state = shallowRef(store.getInitialState())
  let unsubscribe = (): void => undefined
  onMounted(() => {
    unsubscribe = store.subscribe(() => {
      state.value = store.getState()
    })
    state.value = store.getState()
  })
  onScopeDispose(() => unsubscribe())
  return {
    ...store.actions,
    status: computed(() => state.value.status),
    data: computed(() => state.value.data),
    error: computed(() => state.value.error),
    isPending: computed(() => state.value.isPending),
    refresh: store.refresh,
  }
}
