/** The bank of an account without the provider's name for it: the first four letters of its IFSC. */
export const bankOf = ({ ifsc }: { readonly ifsc: string }): string => ifsc.slice(0, 4);
