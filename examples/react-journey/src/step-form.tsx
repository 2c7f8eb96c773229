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

/** Text for the person. Without an answer the outcome of a call is unknown; it is safe to repeat it. */
function messageOf(error: unknown): string {
  if (error instanceof ApiError) return error.userMessage ?? error.message;
  if (error instanceof NotYetError) return 'This takes longer than usual. Try again in a few minutes.';
  if (error instanceof NoAnswerError) return 'No answer came. Check your connection and try again.';
  throw error;
}

/** A step: a heading, fields and a button. A refusal is shown beside its field, else above the button. */
export function StepForm({ title, submit, send, children }: StepFormProps) {
  const [isSending, setSending] = useState(false);
  const [error, setError] = useState<unknown>();
  const heading = useRef<HTMLHeadingElement>(null);
  // moves the focus to the heading of a new step, for screen readers too
  useEffect(() => heading.current?.focus(), []);

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
    <form onSubmit={(event) => void onSubmit(event)} aria-busy={isSending} noValidate>
      <h2 ref={heading} tabIndex={-1}>
        {title}
      </h2>
      <Refusal value={refusal}>{children}</Refusal>
      {error !== undefined && (
        <p role="alert">
          {messageOf(error)}
          {refusal?.requestId && <small> Reference for support: {refusal.requestId}</small>}
        </p>
      )}
      <button disabled={isSending}>{isSending ? 'One moment …' : submit}</button>
    </form>
  );
}

interface FieldProps {
  /** Name in the request. */
  readonly name: string;
  readonly label: string;
  readonly type?: string;
  readonly autoComplete?: string;
  readonly hint?: string;
  /** Choices; absent for a text. */
  readonly options?: readonly { readonly key: string; readonly value: string }[];
}

export function Field({ name, label, hint, options, ...input }: FieldProps) {
  const id = useId();
  const problem = useContext(Refusal)?.messageOf(name);
  const props = {
    id,
    name,
    'aria-invalid': problem !== undefined,
    'aria-describedby': `${id}-hint ${id}-problem`,
  };
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
      <span id={`${id}-problem`} className="problem">
        {problem}
      </span>
    </div>
  );
}

export const Check = ({ name, label }: { readonly name: string; readonly label: string }) => (
  <label className="check">
    <input type="checkbox" name={name} /> {label}
  </label>
);
