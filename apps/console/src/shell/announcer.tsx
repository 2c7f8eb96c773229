import { Store, useStore } from './store.js';

class Announcer extends Store<{ readonly text: string }> {
  say(text: string): void {
    // a screen reader does not repeat an unchanged text
    this.set({ text: '' });
    setTimeout(() => this.set({ text }), 50);
  }
}

const announcer = new Announcer({ text: '' });

/** Makes a screen reader say a text that is otherwise only visible. */
export const announce = (text: string): void => announcer.say(text);

export function Announcements() {
  const { text } = useStore(announcer);
  return (
    <p class="visually-hidden" role="status" aria-live="polite">
      {text}
    </p>
  );
}
