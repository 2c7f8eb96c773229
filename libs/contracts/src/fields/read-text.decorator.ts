import { Transform } from 'class-transformer';

/** Reads a parameter of a query, which comes as text, as its value. A text that has none stays as it is and fails its check; so does a repeated parameter, a list. */
export const ReadText = (read: (text: string) => unknown): PropertyDecorator =>
  Transform(({ value }) => (typeof value === 'string' ? read(value) : (value as unknown)));

const FLAGS: Readonly<Record<string, boolean>> = { true: true, false: false };

export const FLAG_TEXTS = Object.keys(FLAGS);

export const readFlag = (text: string): unknown => (Object.hasOwn(FLAGS, text) ? FLAGS[text] : text);

/** A blank field of a form or a blank parameter counts as not given. */
export const BlankAsAbsent = (): PropertyDecorator => ReadText((text) => (text === '' ? undefined : text));
