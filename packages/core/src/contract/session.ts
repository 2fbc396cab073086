export type * from "@latchkey/types"
