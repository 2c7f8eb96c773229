/** Imported first by a system test that is about no limit of waiting: then a busy machine decides nothing. */
process.env['TIME_LIMIT_FACTOR'] ??= '5';
