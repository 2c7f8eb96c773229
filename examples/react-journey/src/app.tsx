import { useCallback, useEffect, useState } from 'react';
import {
  bringBack,
  ISSUER,
  type Journey,
  login,
  readBookingCheck,
  readJourney,
  type Returned,
  session,
} from './client.js';
import { focus, Loaded, Unread } from './step-form.js';
import { Login, LogOut, STEPS } from './steps.js';

/** A journey with one issuer. After each step the service returns the next one. */
export function App() {
  const [journey, setJourney] = useState<Journey>();
  const [error, setError] = useState<unknown>();
  const [isExpired, setExpired] = useState(false);
  const [sessions, setSessions] = useState(0);
  // a step whose result is known is not sent again because the journey could not be read
  const readAgain = useCallback(async () => {
    try {
      setJourney(await readJourney());
      setError(undefined);
      setExpired(false);
    } catch (reason) {
      // the end of the session is shown already
      if (await login.isLoggedIn()) setError(reason);
    }
  }, []);
  useEffect(() => {
    session.onEnd = (why) => {
      setJourney(undefined);
      setError(undefined);
      setSessions((ended) => ended + 1);
      setExpired(why === 'refused');
    };
  }, []);

  const isLoggedIn = journey !== undefined || error !== undefined;
  return (
    <main>
      <h1>A fixed deposit with {ISSUER.name}</h1>
      {journey && <progress max={100} value={journey.percent_complete} aria-label="Steps done" />}
      {isExpired && <p role="status">Your session has ended. Log in again: what you have done is kept.</p>}
      {error !== undefined ? (
        <Unread error={error} retry={readAgain} />
      ) : journey ? (
        <NextStep journey={journey} done={readAgain} />
      ) : (
        // each session begins with an empty form
        <Login key={sessions} done={readAgain} />
      )}
      {isLoggedIn && <LogOut />}
    </main>
  );
}

/** The tab in which the eKYC page has led back. The tokens are in the tab that opened it. */
export function Back({ ekycState, session: name }: Returned) {
  useEffect(() => {
    bringBack({ ekycState, session: name });
  }, [ekycState, name]);
  return (
    <main>
      <h1 ref={focus} tabIndex={-1}>
        Go back to the other tab
      </h1>
      <p>Your eKYC page is done. You can close this tab.</p>
    </main>
  );
}

interface StepsProps {
  readonly journey: Journey;
  readonly done: () => Promise<void>;
}

/** The step that is due. While an operator compares the names at the bank, perhaps for a day, the step after it. */
function NextStep({ journey, done }: StepsProps) {
  const { next_step: next, steps } = journey;
  const reviewed = steps.findIndex(({ step, reason }) => step === next && reason === 'BANK_NAME_IN_REVIEW');
  if (next === null) return <Booking journey={journey} done={done} />;
  if (reviewed < 0) return <Step key={next} name={next} journey={journey} done={done} />;
  const later = steps.slice(reviewed + 1).find(({ status }) => !['DONE', 'SKIPPED'].includes(status));
  return (
    <>
      <p role="status">
        A person compares the names of your bank account, which may take a day. You need not wait here: log in
        again later.
      </p>
      {later && <Step key={later.step} name={later.step} journey={journey} done={done} />}
    </>
  );
}

function Step({ name, journey, done }: StepsProps & { readonly name: string }) {
  const Form = STEPS[name];
  const step = journey.steps.find((one) => one.step === name);
  const fields = Object.keys(step?.expected_params?.properties ?? {});
  return Form ? <Form done={done} fields={fields} /> : <p>This page does not know the step {name}.</p>;
}

/** What is missing, with a button for each step that corrects it. */
function Booking({ journey, done }: StepsProps) {
  const [again, setAgain] = useState<string>();
  const corrected = async (): Promise<void> => {
    await done();
    setAgain(undefined);
  };
  if (again !== undefined) return <Step name={again} journey={journey} done={corrected} />;
  return (
    <Loaded load={readBookingCheck}>
      {({ is_bookable: isBookable, blockers, warnings }) => (
        <>
          <h2 ref={focus} tabIndex={-1}>
            {isBookable ? 'Your deposit is ready to book.' : 'Something is still missing'}
          </h2>
          <ul>
            {[...blockers, ...warnings].map(({ code, step, message, way_out: wayOut }) => (
              <li key={code + step}>
                {message} {wayOut}
              </li>
            ))}
          </ul>
          {[...new Set(blockers.map(({ step }) => step))]
            .filter((step) => step in STEPS)
            .map((step) => (
              <button key={step} onClick={() => setAgain(step)}>
                Correct it: {step.toLowerCase().replace('_', ' ')}
              </button>
            ))}
        </>
      )}
    </Loaded>
  );
}
