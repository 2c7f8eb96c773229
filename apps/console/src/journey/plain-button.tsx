import { focusPanel } from './focus-panel.js';
import type { JourneyClient } from './journey-client.js';

/** Ends a provoked failure: sends the same call with the person's own value. */
export const PlainButton = ({ client }: { readonly client: JourneyClient }) => (
  <button
    type="button"
    class="quiet"
    onClick={() => {
      focusPanel();
      void client.repeatPlainly();
    }}
  >
    Send a value that succeeds
  </button>
);
