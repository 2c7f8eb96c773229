import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { announce } from './announcer.js';

const SHOWN_MS = 1_500;

/** Puts a text on the clipboard; where the browser keeps that closed, shows it so that it can be selected. */
export function CopyButton(props: {
  readonly text: string;
  /** The accessible name, which begins with the visible text. Defaults to the visible text. */
  readonly label?: string;
  readonly children: ComponentChildren;
  readonly className?: string;
}) {
  const [state, setState] = useState<'ready' | 'copied' | 'closed'>('ready');
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(props.text);
      setState('copied');
      announce('Copied');
      setTimeout(() => setState('ready'), SHOWN_MS);
    } catch {
      // pages that came over plain http from another machine have no clipboard
      setState('closed');
    }
  };
  if (state === 'closed')
    return (
      <input class="copied-text" readOnly value={props.text} aria-label={props.label ?? 'To be copied'} />
    );
  return (
    <button
      type="button"
      class={props.className ?? 'quiet small'}
      aria-label={state === 'copied' ? undefined : props.label}
      onClick={() => void copy()}
    >
      {state === 'copied' ? 'Copied' : props.children}
    </button>
  );
}
