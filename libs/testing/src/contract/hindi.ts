/** A text in Hindi: in Devanagari, without English words or holes. Abbreviations such as KYC may stay. */
export const HINDI = /^(?=.*\p{Script=Devanagari})[^a-z{}]*$/su;
