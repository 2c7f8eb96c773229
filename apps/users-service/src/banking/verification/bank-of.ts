/** The bank of an account when the provider does not name it: the first four letters of its IFSC. */
export const bankOf = ({ ifsc }: { readonly ifsc: string }): string => ifsc.slice(0, 4);
