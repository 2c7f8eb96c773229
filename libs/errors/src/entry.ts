/** Who can do something about a refusal: the person, the calling frontend, our operators, or nobody but the outside party. */
export type Actor = 'CUSTOMER' | 'FRONTEND' | 'OPERATOR' | 'PROVIDER';

/** One refusal of the product, as data. */
export interface CatalogueEntry<Code extends string = string> {
  /** Sent as `errorCode`. Clients branch on it. */
  readonly code: Code;
  /** HTTP status and body `statusCode` of an answer whose first item this is. */
  readonly httpStatus: number;
  /** Stable token for programs, sent as `f_error_reason` unless the refusal names a field. */
  readonly token: string;
  /** The code's text, sent as `error`. Texts of the published interface are kept to the letter. */
  readonly text: string;
  /** What a person should read, sent as `f_error_message`. `{name}` is filled from the parameters of the error. */
  readonly message: string;
  readonly actor: Actor;
  /** How to provoke it against the sandbox. */
  readonly trigger: string;
}
