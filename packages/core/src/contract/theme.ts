/** How the built-in pages and mails look. */
export interface Theme {
  /** `auto` follows the visitor's system. Default: `auto`. */
  readonly colorScheme?: "auto" | "dark" | "light"
  /** URL of an image, absolute (http or https) or a path. */
  readonly logo?: string
  /** A CSS colour: hexadecimal, a name, or a colour function. */
  readonly brandColor?: string
  /** A CSS colour. Default: black or white, whichever can be read on `brandColor`. */
  readonly buttonText?: string
}
