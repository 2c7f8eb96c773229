import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { announce } from './announcer.js';

const SHOWN_MS = 1_500;

/** Copies a text to the clipboard; where the browser forbids that, shows the text for selection. */
export function CopyButton(props: {
  readonly text: string;
  /** The accessible name, which begins with the visible text. Defaults to the visible text. */
  readonly label?: string;
  readonly children: ComponentChildren;
  readonly className?: string;
}) {
  const [state, setState] = useState<'ready' | 'copied' | 'forbidden'>('ready');
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(props.text);
      setState('copied');
      announce('Copied');
      setTimeout(() => setState('ready'), SHOWN_MS);
    } catch {
      // browsers forbid the clipboard to pages over plain http from another machine
      setState('forbidden');
    }
  };
  if (state === 'forbidden')
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
