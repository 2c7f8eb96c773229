import { useCallback, useEffect, useState } from 'react';
import { bringBack, ISSUER, type Journey, login, readBookingCheck, readJourney, session } from './client.js';
import { focus, Loaded, Unread } from './step-form.js';
import { Login, STEPS } from './steps.js';

/** A journey with one issuer. After each step the service returns the next one. */
export function App() {
  const [journey, setJourney] = useState<Journey>();
  const [error, setError] = useState<unknown>();
  const [isExpired, setExpired] = useState(false);
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
        <Step key={journey.next_step} journey={journey} done={readAgain} />
      ) : (
        <Login done={readAgain} />
      )}
      {isLoggedIn && (
        <button className="quiet" onClick={() => void login.logOut()}>
          Log out
        </button>
      )}
    </main>
  );
}

/** The tab in which the eKYC page has led back. The tokens are in the tab that opened it. */
export function Back({ ekycState }: { readonly ekycState: string | null }) {
  useEffect(() => {
    if (ekycState !== null) bringBack(ekycState);
  }, [ekycState]);
  return (
    <main>
      <h1 ref={focus} tabIndex={-1}>
        Go back to the other tab
      </h1>
      <p>Your eKYC page is done. You can close this tab.</p>
    </main>
  );
}

function Step({ journey, done }: { readonly journey: Journey; readonly done: () => Promise<void> }) {
  const { next_step: name, steps } = journey;
  if (name === null) return <Booking />;
  const Form = STEPS[name];
  const fields = Object.keys(steps.find(({ step }) => step === name)?.expected_params?.properties ?? {});
  return Form ? <Form done={done} fields={fields} /> : <p>This page does not know the step {name}.</p>;
}

const Booking = () => (
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
      </>
    )}
  </Loaded>
);
