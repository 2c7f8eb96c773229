/**
 * Texts of our short messages. Operators deliver only texts that the sender has registered word for word; `{name}` is a
 * variable.
 */
export const SMS_TEXTS = {
  login_otp: '{code} is your code to log in. It is valid for {minutes} minutes. Do not share it with anyone.',
  pan_taken_over:
    'Another person has proved by eKYC to hold the PAN in your fixed deposit account, so it is no longer in your account. Log in and verify your own PAN to go on.',
} as const;

export type SmsTemplateId = keyof typeof SMS_TEXTS;
export type SmsTexts = Readonly<Record<SmsTemplateId, string>>;

/**
 * The texts that we send.
 * @param autofillDomain host of the page that takes the code. The message of a login then ends with the line by which browsers
 * offer the code to that page alone (https://wicg.github.io/sms-one-time-codes/). It has the code for a second time, and operators
 * allow two variables, so that the minutes become words.
 */
export const smsTexts = (autofillDomain?: string): SmsTexts =>
  autofillDomain === undefined
    ? SMS_TEXTS
    : {
        ...SMS_TEXTS,
        login_otp: `{code} is your code to log in. It is valid for a few minutes. Do not share it with anyone.\n@${autofillDomain} #{code}`,
      };

export type SmsVariables = Readonly<Record<string, string>>;

/** Fills the variables of a text. @throws Error for a variable without a value: a defect */
export function renderedSms(text: string, variables: SmsVariables): string {
  return text.replace(HOLE, (_hole, name: string) => {
    const value = variables[name];
    if (value === undefined) throw new Error(`a short message has no value for ${name}`);
    return value;
  });
}

/** A text registered with the operators, and its ids. */
export interface RegisteredSms {
  /** With its variables: `{#numeric#}`. */
  readonly text: string;
  /** Id of the content template at the operators. */
  readonly dltTemplateId?: string | undefined;
  /** Id of its flow at MSG91. */
  readonly msg91TemplateId?: string | undefined;
}

/** Whether a text of ours matches its registered one: the same words, and values only in registered variables. */
export function isRegistered(sent: string, { text }: RegisteredSms): boolean {
  return textWithHoles(text, REGISTERED_HOLE) === textWithHoles(sent, HOLE);
}

/** Whether the text in a vendor's panel, with variables like `##name##`, is ours and has our variables. */
export const isPanelText = (sent: string, text: string): boolean =>
  oneLine(text.replace(/##(\w+)##/g, '{$1}')) === oneLine(sent);

const HOLE = /\{([a-z]+)\}/g;
/** Kinds of variables that accept our numeric values; `var` was registered before variables had kinds. */
const REGISTERED_HOLE = /\{#(?:numeric|number|alphanumeric|var)#\}/g;

/** Operators ignore white space. */
const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

const textWithHoles = (text: string, hole: RegExp): string => oneLine(text.replace(hole, '{}'));
