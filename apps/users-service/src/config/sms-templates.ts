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

/** Values of the variables of a text, by name. */
export type SmsVariables = Readonly<Record<string, string>>;

/** Fills the variables of a text. @throws Error for a variable without a value: a defect */
export function renderedSms(template: SmsTemplateId, variables: SmsVariables): string {
  return SMS_TEXTS[template].replace(HOLE, (_hole, name: string) => {
    const value = variables[name];
    if (value === undefined) throw new Error(`the text ${template} has no value for ${name}`);
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

/** Whether a text matches its registered template: the same words, and values only in registered variables. */
export function isRegistered(template: SmsTemplateId, { text }: RegisteredSms): boolean {
  return textWithHoles(text, REGISTERED_HOLE) === textWithHoles(SMS_TEXTS[template], HOLE);
}

/** Whether the text in a vendor's panel, with variables like `##name##`, is ours and has our variables. */
export const isPanelText = (template: SmsTemplateId, text: string): boolean =>
  oneLine(text.replace(/##(\w+)##/g, '{$1}')) === oneLine(SMS_TEXTS[template]);

const HOLE = /\{([a-z]+)\}/g;
/** Kinds of variables that accept our numeric values; `var` was registered before variables had kinds. */
const REGISTERED_HOLE = /\{#(?:numeric|number|alphanumeric|var)#\}/g;

/** Operators ignore white space. */
const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

const textWithHoles = (text: string, hole: RegExp): string => oneLine(text.replace(hole, '{}'));
