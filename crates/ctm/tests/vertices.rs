//! Vertex programs of PVS.

use ctm_gpu::{Engine, EngineName, Error, Machine, Program, Vertices};

fn program() -> Program {
    let text = ".const c1 = 10.0, 0.0, 0.0, 0.0
        out[0].xyzw = VE_ADD input[0] input[3] ;
        out[1].xyzw = VE_ADD const[1] const[2] ;";
    Program::assemble(Machine::Pvs, text).unwrap()
}

#[test]
fn vertices_get_their_vectors() {
    assert_eq!((program().inputs(), program().outputs()), (vec![0, 3], vec![0, 1]));
    for name in EngineName::available() {
        let vertices = Vertices::new(program(), 2).unwrap().input(0, &[[1.0, 2.0, 3.0, 4.0], [5.0; 4]]).unwrap();
        let given = vertices.constant(2, [0.5; 4]).run(&Engine::named(name).unwrap()).unwrap();
        // What is not given is (0, 0, 0, 1).
        assert_eq!(given.outputs[&0], [[1.0, 2.0, 3.0, 5.0], [5.0, 5.0, 5.0, 6.0]], "{}", name.name());
        assert_eq!(given.outputs[&1], [[10.5, 0.5, 0.5, 0.5]; 2]);
        assert_eq!(given.stats.lanes, 2);
    }
}

#[test]
fn what_does_not_fit_is_told() {
    let vertices = Vertices::new(program(), 2).unwrap();
    let error = vertices.clone().input(0, &[[0.0; 4]]).unwrap_err();
    assert_eq!(error.to_string(), "input 0 has 1 vectors, expected 2: one for each vertex");
    assert!(matches!(vertices.input(32, &[]), Err(Error::Number { .. })));
    let other = Program::assemble(Machine::Sm50, "EXIT;").unwrap();
    assert!(matches!(Vertices::new(other, 1), Err(Error::Machine { .. })));
    let pixels = ctm_gpu::Pixels::new(program(), 1, 1).compile(&Engine::fastest()).err().unwrap();
    assert!(pixels.to_string().starts_with("the program is one of PVS"), "{pixels}");
}
