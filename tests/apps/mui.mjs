// SPDX-License-Identifier: Apache-2.0
export default {
  kind: 'component library (React)',
  packages: ['@mui/material', '@emotion/react', '@emotion/styled', 'react', 'react-dom'],
  entry: `import React, { useState } from 'react';
    import { createRoot } from 'react-dom/client';
    import { Autocomplete, Button, Checkbox, Dialog, DialogActions, DialogTitle, FormControlLabel, InputLabel, FormControl, Menu, MenuItem, Rating,
      Select,
      Switch, Tab, Tabs, TextField } from '@mui/material';
    function App() {
      const [state, setState] = useState({ tab: 0, city: '', size: 's', on: false, open: false, stars: 2, anchor: null, picked: '' });
      const set = (more) => setState((old) => ({ ...old, ...more }));
      window.state = { ...state, anchor: Boolean(state.anchor) };
      return <><Tabs value={state.tab} onChange={(_, tab) => set({ tab })}><Tab label="General" /><Tab label="Advanced" /></Tabs>
        <Autocomplete options={['Berlin', 'Oslo', 'Rome']} onChange={(_,
          city) => set({ city })} renderInput={(props) => <TextField {...props} label="City" />} />
        <FormControl sx={{ m: 2, width: 200 }}><InputLabel id="size">Size</InputLabel><Select labelId="size" label="Size" value={state.size}
          onChange={(e) => set({ size: e.target.value })}><MenuItem value="s">Small</MenuItem><MenuItem value="l">Large</MenuItem></Select>
            </FormControl>
        <FormControlLabel control={<Switch checked={state.on} onChange={(e) => set({ on: e.target.checked })} />} label="Notify me" />
        <FormControlLabel control={<Checkbox />} label="Remember" /><Rating name="stars" value={state.stars} onChange={(_,
          stars) => set({ stars })} />
        <Button onClick={(e) => set({ anchor: e.currentTarget })}>More</Button>
        <Menu open={Boolean(state.anchor)} anchorEl={state.anchor} onClose={() => set({ anchor: null })}>
          {['Copy', 'Paste'].map((each) => <MenuItem key={each} onClick={() => set({ picked: each, anchor: null })}>{each}</MenuItem>)}</Menu>
        <Button variant="contained" onClick={() => set({ open: true })}>Delete</Button>
        <Dialog open={state.open} aria-labelledby="sure"><DialogTitle id="sure">Are you sure?</DialogTitle>
          <DialogActions><Button onClick={() => set({ open: false, picked: 'deleted' })}>Yes</Button></DialogActions></Dialog></>;
    }
    createRoot(document.getElementById('root')).render(<App />);`,
  ready: () => window.state,
  async job(user) {
    await user.click('tab', 'Advanced');
    await user.see(() => state.tab === 1);
    await user.fill('combobox', 'City', 'os');
    await user.see(() => document.querySelectorAll('[role=option]').length === 1);
    await user.click('option', 'Oslo');
    await user.see(() => state.city === 'Oslo');
    await user.click('combobox', /^Size/);
    await user.see(() => document.querySelector('[role=listbox]'));
    await user.click('option', 'Large');
    await user.see(() => state.size === 'l' && !document.querySelector('[role=listbox]'));
    await user.click('switch', 'Notify me');
    await user.see(() => state.on);
    await user.click('button', 'More');
    await user.see(() => document.querySelector('[role=menu]'));
    await user.click('menuitem', 'Paste');
    await user.see(() => state.picked === 'Paste' && !document.querySelector('[role=menu]'));
    await user.click('button', 'Delete');
    await user.see(() => document.querySelector('[role=dialog]'));
    await user.click('button', 'Yes');
    await user.see(() => state.picked === 'deleted' && !document.querySelector('[role=dialog]'));
  },
};
