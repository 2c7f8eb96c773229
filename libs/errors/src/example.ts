/** One call of an example. `{name}` in path and body is a placeholder: see PLACEHOLDERS. */
export interface ExampleCall {
  readonly call: `${'GET' | 'POST' | 'DELETE'} /${string}`;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  /** Number of calls; defaults to one. */
  readonly times?: number;
}

/** Calls that provoke a code against the sandbox: the last one is refused with it. */
export interface Example extends ExampleCall {
  /**
   * The caller: without credentials; a user after login; a user with a verified PAN; a client of the catalogue with its API key.
   */
  readonly as: 'anonymous' | 'user' | 'verified user' | 'catalogue client';
  /** Preceding calls. */
  readonly after?: readonly ExampleCall[];
}

/** How to provoke a code, or why calls alone cannot. */
export type Provocation = Example | { readonly none: string };

/** Placeholders of examples; any other name is a field in the payload of the preceding call. */
export const PLACEHOLDERS = {
  phone: 'any phone from 919999900000 to 919999900099: its code is 123456',
  pan: 'a PAN that is not verified yet, such as ABCPR1234K, without the digits that are special to the sandbox',
  'pan 0603': 'such a PAN with the digits 0603',
  'pan 0401': 'such a PAN with the digits 0401',
  'pan of a company': 'such a PAN with the fourth letter C',
  aadhaar: 'an Aadhaar number with a right check digit, such as 234567891238',
  email: 'an email address that is not verified yet',
  code: 'the code that reached the phone, address or Aadhaar of the call before: see the inbox of the sandbox',
  uuid: 'a new UUID',
  now: 'the time in ISO 8601',
} as const;
