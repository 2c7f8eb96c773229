/** What a person declares who names nobody. A new text gets a new version; the old one stays on record. */
export const NO_NOMINEE_DECLARATION = {
  version: '2026-11',
  text: 'I do not want to name a nominee. I know that my family may then need a succession certificate to receive my deposit.',
} as const;
