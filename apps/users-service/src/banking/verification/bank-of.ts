/** Returns the bank code of an account, the first four letters of its IFSC, when the provider names no bank. */
export const bankOf = ({ ifsc }: { readonly ifsc: string }): string => ifsc.slice(0, 4);
