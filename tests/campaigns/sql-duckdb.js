// The queries of campaign-sql.R in DuckDB: node sql-duckdb.js <folder> <number of queries>
const fs = require('fs');
const { DuckDBInstance } = require('@duckdb/node-api');
const [folder, queries] = process.argv.slice(2);

(async () => {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const con = await instance.connect();
  const tables = fs.readdirSync(folder).filter((file) => /^t\d+\.sql$/.test(file));
  for (const name of tables.map((file) => file.slice(0, -4))) { // a name in it may have lines
    await con.run(fs.readFileSync(`${folder}/${name}.sql`, 'utf8'));
    await con.run(`COPY ${name} FROM '${folder}/${name}.rows' (FORMAT csv, AUTO_DETECT false, HEADER false, DELIMITER ',',
      QUOTE '"', ESCAPE '"', NULLSTR '\\N', ALLOW_QUOTED_NULLS false)`);
  }
  for (let k = 1; k <= queries; k++) {
    try {
      const found = await con.runAndReadAll(fs.readFileSync(`${folder}/q${k}.sql`, 'utf8'));
      const rows = found.getRows().map(([id, p]) => `${id},${p === null ? '' : p}`);
      fs.writeFileSync(`${folder}/duck${k}.csv`, rows.join('\n') + '\n');
    } catch (error) {
      console.error(`query ${k}: ${String(error).slice(0, 300)}`);
    }
  }
})();
