import { Store, useStore } from './store.js';

class Announcer extends Store<{ readonly text: string }> {
  say(text: string): void {
    // the same words twice in a row are said twice
    this.set({ text: '' });
    setTimeout(() => this.set({ text }), 50);
  }
}

const announcer = new Announcer({ text: '' });

/** Has a screen reader say something that is only seen otherwise. */
export const announce = (text: string): void => announcer.say(text);

export function Announcements() {
  const { text } = useStore(announcer);
  return (
    <p class="visually-hidden" role="status" aria-live="polite">
      {text}
    </p>
  );
}
