import { customType } from "drizzle-orm/mysql-core"

/**
 * Text that is compared to the last character, trailing spaces included. MySQL and MariaDB have different names for the
 * collation; each reads the comment that is meant for it.
 * @see https://mariadb.com/kb/en/comment-syntax/#executable-comment-syntax
 */
const exact = "character set utf8mb4 /*!80017 collate utf8mb4_0900_bin */ /*M!100200 collate utf8mb4_nopad_bin */"

type TextColumn = { data: string; driverData: string }

/** Text by which rows are found: up to 255 characters, two of which fit into one index (3072 bytes). */
export const key = customType<TextColumn>({ dataType: () => `varchar(255) ${exact}` })

/**
 * Ids of credentials and accounts. They are bytes: as text with four bytes for each character a credential's id, which
 * may have 1364 characters, would fit into no index.
 */
export const longKey = customType<TextColumn>({ dataType: () => "varbinary(2000)" })

/** Text without a limit that anybody reaches. */
export const longText = customType<TextColumn>({ dataType: () => `mediumtext ${exact}` })
