import type { ComponentChildren } from 'preact';

/** The header of a view: title, purpose and actions. */
export function ViewHead(props: {
  readonly title: string;
  readonly lead: ComponentChildren;
  readonly children?: ComponentChildren;
}) {
  return (
    <div class="view-head">
      <div>
        <h1>{props.title}</h1>
        <p class="lead">{props.lead}</p>
      </div>
      {props.children && <div class="view-tools">{props.children}</div>}
    </div>
  );
}

/** Whether the data on the page is up to date. */
export function Liveness({
  problem,
  isLoading,
}: {
  readonly problem: string | undefined;
  readonly isLoading: boolean;
}) {
  const state = problem !== undefined ? 'off' : isLoading ? 'loading' : 'on';
  const text = { off: 'No answer. Trying again.', loading: 'Loading', on: 'Live' }[state];
  return (
    <span class="live" data-state={state}>
      <span class="dot" aria-hidden="true" />
      {text}
    </span>
  );
}

/** Shown while there is no content yet. */
export function Empty({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      <p>{children}</p>
    </div>
  );
}

/** A labelled text field. */
export function TextField(props: {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly onInput: (text: string) => void;
  readonly isSearch?: boolean;
  readonly isNumber?: boolean;
  readonly placeholder?: string;
  readonly className?: string;
}) {
  return (
    <div class={`field ${props.className ?? ''}`}>
      <label for={props.id}>{props.label}</label>
      <input
        id={props.id}
        {...(props.isSearch ? { type: 'search' } : { type: 'text' })}
        inputMode={props.isNumber ? 'numeric' : undefined}
        value={props.value}
        placeholder={props.placeholder}
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        onInput={(event) => props.onInput(event.currentTarget.value)}
      />
    </div>
  );
}

/** A labelled choice: [value, text] each. */
export function ChoiceField(props: {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly choices: readonly (readonly [value: string, text: string])[];
  readonly onInput: (value: string) => void;
  readonly className?: string;
}) {
  return (
    <div class={`field ${props.className ?? ''}`}>
      <label for={props.id}>{props.label}</label>
      <select
        id={props.id}
        value={props.value}
        onChange={(event) => props.onInput(event.currentTarget.value)}
      >
        {props.choices.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}
