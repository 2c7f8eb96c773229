import { ApiError, NoAnswerError, NotYetError } from '@fd/client';
import {
  createContext,
  type FormEvent,
  type ReactNode,
  useContext,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react';

/** Typed values by field name. */
export type Values = Readonly<Record<string, string>>;

interface StepFormProps {
  readonly title: string;
  readonly submit: string;
  /** Makes the calls of the step; errors are shown. */
  readonly send: (values: Values) => Promise<void>;
  readonly children?: ReactNode;
}

const Refusal = createContext<ApiError | undefined>(undefined);

/** Texts of a refusal for fields that the form does not have, or for none; the others are shown beside their fields. */
function generalMessages({ items, message }: ApiError, form: HTMLFormElement): string {
  if (items.length === 0) return message;
  const general = items.filter(({ field }) => field === null || !form.elements.namedItem(field));
  if (general.length === 0) return 'Correct the marked fields.';
  return [...new Set(general.map(({ message: text, text: reason }) => text || reason))].join(' ');
}

/** Text above the button. Without an answer the outcome of a call is unknown; it is safe to repeat it. */
function messageOf(error: unknown, form: HTMLFormElement): string {
  if (error instanceof ApiError) return generalMessages(error, form);
  if (error instanceof NotYetError) return 'This takes longer than usual. Try again in a few minutes.';
  if (error instanceof NoAnswerError) return 'No answer came. Check your connection and try again.';
  throw error;
}

/** A step: a heading, fields and a button. Each reason of a refusal is shown beside its field, else above the button. */
export function StepForm({ title, submit, send, children }: StepFormProps) {
  const [isSending, setSending] = useState(false);
  const [error, setError] = useState<unknown>();
  const form = useRef<HTMLFormElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  // moves the focus to the heading of a new step, for screen readers too
  useEffect(() => heading.current?.focus(), []);
  useEffect(() => form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus(), [error]);

  const onSubmit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const values = Object.fromEntries(new FormData(event.currentTarget)) as Values;
    setSending(true);
    setError(undefined);
    await send(values)
      .catch(setError)
      .finally(() => setSending(false));
  };

  const refusal = error instanceof ApiError ? error : undefined;
  return (
    <form ref={form} onSubmit={(event) => void onSubmit(event)} aria-busy={isSending} noValidate>
      <h2 ref={heading} tabIndex={-1}>
        {title}
      </h2>
      <Refusal value={refusal}>{children}</Refusal>
      {error !== undefined && form.current && (
        <p role="alert">
          {messageOf(error, form.current)}
          {refusal?.requestId && <small> Reference for support: {refusal.requestId}</small>}
        </p>
      )}
      <button disabled={isSending}>{isSending ? 'One moment …' : submit}</button>
    </form>
  );
}

interface FieldProps {
  /** Path in the request, as refusals name it, such as `communication_address.city`. */
  readonly name: string;
  readonly label: string;
  readonly type?: string;
  readonly autoComplete?: string;
  readonly hint?: string;
  /** Choices; absent for a text. */
  readonly options?: readonly { readonly key: string; readonly value: string }[];
}

/** Attributes of an input and the problem below it, from the refusal of the form. */
function useProblem(name: string) {
  const id = useId();
  const problem = useContext(Refusal)?.messageOf(name);
  const props = {
    id,
    name,
    'aria-invalid': problem !== undefined,
    'aria-describedby': `${id}-hint ${id}-problem`,
  };
  const shown = (
    <span id={`${id}-problem`} className="problem">
      {problem}
    </span>
  );
  return { id, props, shown };
}

export function Field({ name, label, hint, options, ...input }: FieldProps) {
  const { id, props, shown } = useProblem(name);
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {options ? (
        <select {...props} defaultValue="">
          <option value="">Choose</option>
          {options.map(({ key, value }) => (
            <option key={key} value={key}>
              {value}
            </option>
          ))}
        </select>
      ) : (
        <input {...props} {...input} />
      )}
      {hint && <small id={`${id}-hint`}>{hint}</small>}
      {shown}
    </div>
  );
}

export function Check({ name, label }: Pick<FieldProps, 'name' | 'label'>) {
  const { id, props, shown } = useProblem(name);
  return (
    <div className="field">
      <label className="check" htmlFor={id}>
        <input type="checkbox" {...props} /> {label}
      </label>
      {shown}
    </div>
  );
}
