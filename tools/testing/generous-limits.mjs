// Jest setupFile: multiplies the services' limits of waiting, so that a busy machine does not decide a test. Tests of a limit
// (*.limits.spec.ts) run without it, alone.
process.env.TIME_LIMIT_FACTOR ??= '5';
