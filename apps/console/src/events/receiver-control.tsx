import { announce } from '../shell/announcer.js';
import { type Behaviour, BEHAVIOURS, sandbox } from '../shell/sandbox-api.js';
import { BEHAVIOUR_TEXTS } from './events.js';

/** Tells the backend of the sample partner how to answer. */
export function ReceiverControl({
  behaviour,
  onChange,
}: {
  readonly behaviour: Behaviour;
  /** Called once the sandbox knows it, or has refused it. */
  readonly onChange: () => void;
}) {
  const tell = async (chosen: Behaviour): Promise<void> => {
    const result = await sandbox.tellBackend(chosen).then(
      () => BEHAVIOUR_TEXTS[chosen][1],
      ({ message }: Error) => `The backend was not told. ${message}.`,
    );
    announce(result);
    onChange();
  };
  return (
    <div class="receiver">
      <fieldset class="pills">
        <legend>How the backend answers</legend>
        {BEHAVIOURS.map((one) => (
          <label key={one} class="pill">
            <input
              type="radio"
              name="behaviour"
              value={one}
              checked={one === behaviour}
              onChange={() => void tell(one)}
            />
            <span>{BEHAVIOUR_TEXTS[one][0]}</span>
          </label>
        ))}
      </fieldset>
      <p class="hint">
        {BEHAVIOUR_TEXTS[behaviour][1]} A delivery without a valid signature always gets 400.
      </p>
    </div>
  );
}
