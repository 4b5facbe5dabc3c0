// The queries of campaign-sql.R in DuckDB: node sql-duckdb.js <folder> <number of queries>
const fs = require('fs');
const { DuckDBInstance } = require('@duckdb/node-api');
const [folder, queries] = process.argv.slice(2);

(async () => {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const con = await instance.connect();
  for (const line of fs.readFileSync(`${folder}/create.sql`, 'utf8').split('\n').filter(Boolean)) {
    const name = line.split(' ')[2];
    await con.run(line);
    await con.run(`COPY ${name} FROM '${folder}/${name}.csv' (HEADER, NULLSTR '\\N')`);
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
